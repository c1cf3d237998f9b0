"""Formulas wider than their column at a width, for all chapters."""
import sys
from selenium import webdriver
from pathlib import Path
import time
W=int(sys.argv[1])
o=webdriver.ChromeOptions(); o.binary_location="/usr/bin/chromium"
for a in ("--headless=new","--no-sandbox","--disable-gpu","--no-first-run","--disable-background-networking"): o.add_argument(a)
d=webdriver.Chrome(options=o)
d.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",{"width":W,"height":1500,"deviceScaleFactor":1,"mobile":False})
for p in sorted(Path("/tmp/site9/_build/html").glob("ch*.html")):
    d.get(p.as_uri()); 
    for _ in range(40):
        time.sleep(1)
        if d.execute_script("return document.querySelectorAll('mjx-container').length>0 && !!window.MathJax && !!MathJax.startup && MathJax.startup.document.state()>=150"): break
    r=d.execute_script("""return [...document.querySelectorAll('div.math')].map(x=>{const m=x.querySelector('mjx-container'); if(!m) return null; const n=x.querySelector('.eqno'); return [x.id, m.scrollWidth, m.clientWidth, n? n.textContent.trim():'' ]}).filter(x=>x&&x[1]>x[2]+2)""")
    print(p.stem, r, flush=True)
d.quit()
