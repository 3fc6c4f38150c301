// Numbers in the order of use. The usual ones are made from paths, those of pip's own temporary folder among them,
// so that no two builds would be the same byte for byte.
module.exports = { optimization: { moduleIds: "natural" } };
