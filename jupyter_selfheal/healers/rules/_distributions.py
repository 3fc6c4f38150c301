"""Which distribution has a module, and which modules none is to be installed for."""

from __future__ import annotations

DISTRIBUTIONS: dict[str, str] = {
    # module → distribution, where they differ (pipreqs' mapping and the distributions' own metadata)
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "cv2": "opencv-python-headless",
    "PIL": "Pillow",
    "yaml": "PyYAML",
    "bs4": "beautifulsoup4",
    "attr": "attrs",
    "fitz": "PyMuPDF",
    "docx": "python-docx",
    "pptx": "python-pptx",
    "umap": "umap-learn",
    "imblearn": "imbalanced-learn",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "jwt": "PyJWT",
    "OpenSSL": "pyOpenSSL",
    "Crypto": "pycryptodome",
    "serial": "pyserial",
    "usb": "pyusb",
    "git": "GitPython",
    "github": "PyGithub",
    "gitlab": "python-gitlab",
    "MySQLdb": "mysqlclient",
    "psycopg2": "psycopg2-binary",
    "pymysql": "PyMySQL",
    "magic": "python-magic",
    "Levenshtein": "python-Levenshtein",
    "fuzzywuzzy": "fuzzywuzzy",
    "rapidjson": "python-rapidjson",
    "wx": "wxPython",
    "gi": "PyGObject",
    "zmq": "pyzmq",
    "tables": "tables",
    "pywt": "PyWavelets",
    "mpl_toolkits": "matplotlib",
    "mpl_finance": "mpl-finance",
    "mplfinance": "mplfinance",
    "sklearn_pandas": "sklearn-pandas",
    "surprise": "scikit-surprise",
    "skopt": "scikit-optimize",
    "skbio": "scikit-bio",
    "sksurv": "scikit-survival",
    "skfuzzy": "scikit-fuzzy",
    "skmultilearn": "scikit-multilearn",
    "Bio": "biopython",
    "rdkit": "rdkit",
    "osgeo": "GDAL",
    "shapefile": "pyshp",
    "igraph": "igraph",
    "community": "python-louvain",
    "graph_tool": "graph-tool",
    "pygraphviz": "pygraphviz",
    "pydot": "pydot",
    "mpi4py": "mpi4py",
    "speech_recognition": "SpeechRecognition",
    "telegram": "python-telegram-bot",
    "slugify": "python-slugify",
    "markdown": "Markdown",
    "jinja2": "Jinja2",
    "flask": "Flask",
    "django": "Django",
    "sqlalchemy": "SQLAlchemy",
    "IPython": "ipython",
    "lxml": "lxml",
    "vega": "vega",
    "vega_datasets": "vega-datasets",
    "prettytable": "prettytable",
    "pkg_resources": "setuptools<81",  # 82 has no pkg_resources any more
    "mpl_toolkits.basemap": "basemap",
    "setuptools": "setuptools",
    "google.protobuf": "protobuf",
    "google.cloud.storage": "google-cloud-storage",
    "google.cloud.bigquery": "google-cloud-bigquery",
    "googleapiclient": "google-api-python-client",
    "apiclient": "google-api-python-client",
    "ee": "earthengine-api",
    "haversine": "haversine",
    "pyproj": "pyproj",
    "mpld3": "mpld3",
    "fbprophet": "prophet",
    "pytorch_lightning": "pytorch-lightning",
    "talib": "TA-Lib",
    "gym": "gym",
    "whoosh": "Whoosh",
    "wordcloud": "wordcloud",
    "pandas_datareader": "pandas-datareader",
    "pandas_profiling": "ydata-profiling",
    "category_encoders": "category-encoders",
    "kmodes": "kmodes",
    "hdbscan": "hdbscan",
    "tsne": "tsne",
    "ruamel": "ruamel.yaml",
    "nltk": "nltk",
    "stop_words": "stop-words",
    "unidecode": "Unidecode",
    "xlrd": "xlrd",
    "xlsxwriter": "XlsxWriter",
    "pypandoc": "pypandoc",
    "PyPDF2": "PyPDF2",
    "pdfminer": "pdfminer.six",
    "memory_profiler": "memory-profiler",
    "line_profiler": "line-profiler",
    "ipython_genutils": "ipython-genutils",
    "jsonlines": "jsonlines",
    "tweepy": "tweepy",
    "twitter": "python-twitter",
    "facebook": "facebook-sdk",
    "dns": "dnspython",
    "websocket": "websocket-client",
    "socks": "PySocks",
    "nacl": "PyNaCl",
    "ldap": "python-ldap",
    "pythoncom": "pywin32",
    "win32com": "pywin32",
    "win32api": "pywin32",
    "Xlib": "python-xlib",
    "pyximport": "Cython",
    "toolz": "toolz",
    "cytoolz": "cytoolz",
    "empyrical": "empyrical",
    "lightfm": "lightfm",
    "implicit": "implicit",
    "pyLDAvis": "pyLDAvis",
    "mglearn": "mglearn",
    "plotly": "plotly",
    "chart_studio": "chart-studio",
    "pysal": "pysal",
    "netCDF4": "netCDF4",
    "cartopy": "Cartopy",
    "mpl_scatter_density": "mpl-scatter-density",
    "pyodbc": "pyodbc",
    "tabula": "tabula-py",
    "camelot": "camelot-py",
    "pytesseract": "pytesseract",
    "face_recognition": "face-recognition",
    "ortools": "ortools",
    "pulp": "PuLP",
    "cvxopt": "cvxopt",
    "pymc": "pymc",
    "pymc3": "pymc3",
    "arviz": "arviz",
    "emcee": "emcee",
    "corner": "corner",
    "astroML": "astroML",
    "healpy": "healpy",
    "qiskit": "qiskit",
    "braket": "amazon-braket-sdk",
}

PLACEHOLDERS = frozenset(
    {"module_name", "your_module", "my_module", "mymodule", "yourmodule", "module", "package_name", "your_package",
     "my_package", "mypackage", "package", "foo", "bar", "baz", "spam", "eggs", "example", "some_module", "library", "xxx",
     "utils", "helpers", "helper", "util", "common", "config", "settings", "functions", "my_functions", "tools", "models",
     "data", "lib", "src", "test", "tests", "nonexistent_module", "does_not_exist", "nonexistent", "solutions", "solution",
     "local_settings", "secrets", "credentials", "keys"}
)  # fmt: skip
"""Module names that say nothing: never installed from an index, where anybody may have put anything under them."""

PYTHON_ONLY_ELSEWHERE = frozenset(
    {"google.colab", "dbutils", "pyspark.dbutils", "kaggle_secrets", "kaggle_datasets", "arcpy", "gdb", "bpy", "maya", "nuke",
     "RPi", "ROOT", "maltego", "hou", "pydev"}
)  # fmt: skip
"""Modules that exist only inside some product; installing something of that name would be wrong."""

SAME_NAME = frozenset(
    """
    numpy pandas scipy matplotlib seaborn statsmodels sympy networkx polars pyarrow numba dask xarray joblib tqdm requests httpx
    aiohttp urllib3 certifi chardet lxml html5lib openpyxl xlrd xlwt xlsxwriter tabulate termcolor colorama click typer rich
    pydantic jsonschema toml pytz tzlocal arrow pendulum dateparser regex simplejson ujson orjson msgpack h5py tables zarr
    fastparquet psutil watermark ipywidgets ipympl ipyleaflet bqplot plotly bokeh altair holoviews hvplot panel datashader
    folium geopandas shapely fiona rasterio pyproj descartes geopy cartopy geoviews osmnx mplleaflet
    tensorflow keras torch torchvision torchaudio transformers datasets tokenizers accelerate sentencepiece diffusers jax
    flax optax xgboost lightgbm catboost shap lime eli5 yellowbrick mlxtend hyperopt optuna nltk spacy gensim textblob
    wordcloud pyLDAvis lifelines prophet pmdarima arch tslearn sktime tsfresh ruptures filterpy hmmlearn pomegranate
    pymc pymc3 pystan arviz emcee corner dynesty theano edward pyro gpflow GPy lmfit uncertainties pint control slycot
    cvxpy cvxopt ecos pulp mip gurobipy simpy deap pyswarm geneticalgorithm igraph pyvis graphviz pydot pygraphviz
    boto boto3 botocore s3fs gcsfs fsspec sqlalchemy pymongo redis psycopg2 pymysql peewee duckdb cassandra neo4j
    flask django fastapi uvicorn streamlit dash gradio scrapy selenium mechanize tweepy praw wikipedia yfinance
    quandl ta backtrader zipline empyrical pyfolio alphalens ccxt pyecharts missingno sweetviz dtale cufflinks bubbly
    imageio mahotas SimpleITK nibabel pydicom astropy sunpy healpy galpy ephem skyfield lightkurve astroquery
    mpmath gmpy2 sage patsy formulaic linearmodels pingouin researchpy factor_analyzer prince kmodes hdbscan umap
    nilearn mne obspy librosa soundfile pydub mido music21 pretty_midi pyaudio
    cython cffi pybind11 line_profiler memory_profiler snakeviz pyinstrument nose pytest hypothesis mock
    faker mimesis names inflect emoji langdetect googletrans unidecode ftfy jellyfish rapidfuzz fuzzywuzzy
    qutip qiskit cirq pennylane ase pymatgen openbabel mdtraj MDAnalysis Bio rdkit pubchempy cobra
    gym gymnasium pygame pyglet pyautogui pynput barnum celluloid drawsvg ipycytoscape nbconvert nbformat papermill
    toolz cytoolz more_itertools sortedcontainers bitarray attrs cattrs marshmallow dill cloudpickle blosc lz4 zstandard
    vega_datasets vega3 nose2 pyperclip qrcode barcode reportlab fpdf pdfplumber pypdf camelot
    distributed ray pyspark pyflink modin vaex cudf rapids findspark
    ipyparallel ipython_genutils jupyterthemes nbdime rpy2 oct2py pyreadstat pyreadr sas7bdat savReaderWriter
    plotnine ggplot brewer2mpl palettable colorlover cmocean colorcet adjustText squarify joypy calmap pywaffle venn
    ipyvolume pythreejs vtk mayavi trimesh open3d pyvista k3d itkwidgets
    pyodide micropip autograd tensorly torchtext torchmetrics pytorch_lightning einops timm albumentations
    empiricaldist mdutils numexpr statsforecast powerlaw
    """.split()  # noqa: SIM905 (a list of 250 lines)
)
"""Modules whose distribution has the same name (dashes for underscores) and is widely known."""

PYTHON_2_MODULES = frozenset(
    """
    StringIO cStringIO urllib2 urlparse cPickle Queue ConfigParser Tkinter tkMessageBox tkFileDialog httplib cookielib
    HTMLParser htmlentitydefs BaseHTTPServer SimpleHTTPServer SocketServer xmlrpclib commands sets md5 sha exceptions
    __builtin__ copy_reg itertools2 robotparser dummy_thread thread repr UserDict UserList UserString anydbm dbhash
    whichdb dumbdb gdbm Cookie imp asyncore asynchat smtpd distutils cgi cgitb crypt imghdr sndhdr nntplib telnetlib
    uu xdrlib audioop aifc chunk msilib nis ossaudiodev pipes spwd sunau lib2to3 parser symbol formatter binhex
    """.split()  # noqa: SIM905 (a list of 250 lines)
)
"""Modules that Python itself had and removed: no distribution of that name is what was meant."""


def distribution_of(module: str) -> tuple[str, bool]:
    """(distribution, known?) that provides a module; not known means that the names are merely taken to be equal."""
    for name in (module, module.split(".")[0]):
        if name in DISTRIBUTIONS:
            return DISTRIBUTIONS[name], True
    top = module.split(".")[0]
    return top.replace("_", "-"), top in SAME_NAME
