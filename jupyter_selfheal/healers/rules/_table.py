"""Every rule by name, so that none is imported before a failure asks for it.

Order is the order of proposal among equal priors: state before imports before names before the rest, because two thirds
of real NameErrors are state (docs/repair.md). Third parties add rules by the entry point group
``jupyter_selfheal.rules``.
"""

from __future__ import annotations

RULES: dict[str, str] = {
    "STA101": "unrun_cell:UnrunCell",
    "STA102": "out_of_order:OutOfOrder",
    "STA103": "used_before_definition:UsedBeforeDefinition",
    "STA104": "shadowed_builtin:ShadowedBuiltin",
    "STA105": "exhausted_iterator:ExhaustedIterator",
    "NON101": "none_from_in_place:NoneFromInPlace",
    "NON102": "missing_return:MissingReturn",
    "IMP101": "missing_import:MissingImport",
    "IMP102": "misspelt_module:MisspeltModule",
    "IMP103": "missing_submodule:MissingSubmodule",
    "IMP104": "missing_module:MissingModule",
    "IMP105": "module_elsewhere:ModuleElsewhere",
    "NAM101": "misspelt_name:MisspeltName",
    "NAM102": "python2_name:Python2Name",
    "NAM103": "unbound_local:UnboundLocal",
    "NAM104": "missing_self:MissingSelf",
    "ATT101": "misspelt_attribute:MisspeltAttribute",
    "ATT102": "foreign_method:ForeignMethod",
    "ATT103": "not_called:NotCalled",
    "ATT104": "module_or_class:ModuleOrClass",
    "TYP101": "view_as_list:ViewAsList",
    "SYN101": "syntax_python2:Python2Syntax",
    "SYN102": "syntax_colon:MissingColon",
    "SYN104": "syntax_quote:Quote",
    "SYN105": "syntax_indent:Indentation",
    "SYN106": "syntax_equals:Equals",
    "SYN107": "syntax_pasted:Pasted",
    "SYN108": "syntax_foreign:ForeignSyntax",
    "SYN103": "syntax_bracket:Bracket",
    "SYN109": "syntax_comma:MissingComma",
    "API101": "moved_import:MovedImport",
    "API102": "removed_name:RemovedName",
    "API103": "removed_method:RemovedMethod",
    "API201": "changed_keyword:ChangedKeyword",
    "API202": "positional_arguments:PositionalArguments",
    "API203": "changed_value:ChangedValue",
    "PDA101": "frequency_alias:FrequencyAlias",
}
"""Code → ``module:Class``, the module relative to this package."""
