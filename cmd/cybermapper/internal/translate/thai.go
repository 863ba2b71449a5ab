package translate

import "golang.org/x/text/feature/plural"

var thaiPlurals = plurals{
	"%d sites":    {plural.Other, "%d เว็บไซต์"},
	"of %d sites": {plural.Other, "จาก %d เว็บไซต์"},
	"%d pages":    {plural.Other, "%d หน้า"},
	"%d files":    {plural.Other, "%d ไฟล์"},
	"%d opt-outs": {plural.Other, "คำขอไม่ให้เข้า %d รายการ"},
	"%d URLs":     {plural.Other, "%d URL"},
}

var thai = map[string]string{
	"en":                            "th",
	"%s: about this crawler":        "%s: เกี่ยวกับโปรแกรมรวบรวมข้อมูลนี้",
	"Name in robots.txt":            "ชื่อในไฟล์ robots.txt",
	"Purpose":                       "วัตถุประสงค์",
	"Contact":                       "ติดต่อ",
	"Comes from":                    "มาจากที่อยู่",
	"Keep it out":                   "วิธีห้ามไม่ให้เข้า",
	"Slow it down":                  "วิธีทำให้ช้าลง",
	"What it does":                  "สิ่งที่โปรแกรมทำ",
	"The key of its operator":       "กุญแจของผู้ดำเนินการ",
	"Verifier":                      "กุญแจตรวจสอบ",
	"Fingerprint":                   "ลายนิ้วมือของกุญแจ",
	"Place to discuss it in public": "ที่สำหรับพูดคุยเรื่องนี้อย่างเปิดเผย",
	"Was it really this crawler?":   "เป็นโปรแกรมนี้จริงหรือไม่",
	"Anybody can send this name.":   "ใครก็ส่งชื่อนี้ได้",
	"If you found this name in the log of your web server, this page says what it is, and how to keep it " +
		"out.": "" +
		"หากคุณพบชื่อนี้ในบันทึกของเว็บเซิร์ฟเวอร์ หน้านี้อธิบายว่าคืออะไร และจะห้ามไม่ให้เข้าได้อย่างไร",
	"Put this into %s at the top of your site. It is read again within a day.": "" +
		"ใส่ข้อความนี้ใน %s ที่ระดับบนสุดของเว็บไซต์ ไฟล์จะถูกอ่านใหม่ภายในหนึ่งวัน",
	"Single pages: %s, or the header %s.": "" +
		"สำหรับบางหน้า: %s หรือส่วนหัว %s",
	"Or write to the contact: an operator puts your host, your domain or your addresses on a list, and " +
		"within seconds nothing more is asked of them, robots.txt included.": "" +
		"หรือเขียนถึงผู้ติดต่อ: ผู้ดำเนินการจะใส่โฮสต์ โดเมน หรือที่อยู่ของคุณไว้ในรายการ " +
		"และภายในไม่กี่วินาทีจะไม่มีคำขอใดไปถึงอีก รวมทั้ง robots.txt",
	"The number is the least number of seconds between two requests. Status 429 or 503 with %s makes the " +
		"whole host rest.": "" +
		"ตัวเลขคือจำนวนวินาทีอย่างน้อยระหว่างสองคำขอ สถานะ 429 หรือ 503 พร้อม %s ทำให้หยุดพักทั้งโฮสต์",
	"It reads robots.txt before anything else (RFC 9309). While that cannot be fetched, it requests " +
		"nothing else.": "" +
		"อ่าน robots.txt ก่อนสิ่งอื่น (RFC 9309) ตราบใดที่ยังอ่านไม่ได้ จะไม่ขอสิ่งอื่นใด",
	"It makes one request at a time to a host, and unless the host is its operator's own, at least %s " +
		"pass between the end of one and the start of the next; more if you answer slowly.": "" +
		"ส่งคำขอถึงโฮสต์หนึ่งครั้งละหนึ่งคำขอ และเว้นแต่โฮสต์จะเป็นของผู้ดำเนินการเอง จะเว้นอย่างน้อย %s " +
		"ระหว่างจบคำขอหนึ่งกับเริ่มคำขอถัดไป และเว้นนานขึ้นหากเซิร์ฟเวอร์ตอบช้า",
	"It sends GET only, no forms, and cookies or credentials to no host but one that gave them to its " +
		"operator; it follows no link that looks like an action.": "" +
		"ส่งเฉพาะ GET ไม่ส่งแบบฟอร์ม และไม่ส่งคุกกี้หรือข้อมูลรับรองไปยังโฮสต์อื่นนอกจากโฮสต์ที่มอบให้ผู้ดำเน" +
		"ินการ ไม่ตามลิงก์ที่ดูเหมือนเป็นการกระทำ",
	"It keeps pages as they were sent. It runs no scripts and renders nothing.": "" +
		"เก็บหน้าเว็บตามที่ส่งมา ไม่เรียกใช้สคริปต์และไม่แสดงผลหน้า",
	"Every request is in a ledger, with the line of your robots.txt under which it was made. Ask for " +
		"yours: its operator can send you a bundle that %s judges, also against your own log.": "" +
		"ทุกคำขออยู่ในบัญชีบันทึก พร้อมบรรทัดของ robots.txt ของคุณที่อนุญาต ขอส่วนของคุณได้: " +
		"ผู้ดำเนินการส่งชุดข้อมูลที่ %s ตรวจสอบได้ รวมทั้งเทียบกับบันทึกของคุณเอง",
	"Requests that do not come from the addresses above are not ours.": "" +
		"คำขอที่ไม่ได้มาจากที่อยู่ข้างต้นไม่ใช่ของเรา",
	"Every request is signed (HTTP Message Signatures, RFC 9421; Web Bot Auth) with the key %s, so a " +
		"request without that signature is not ours.": "" +
		"ทุกคำขอลงลายมือชื่อ (HTTP Message Signatures, RFC 9421; Web Bot Auth) ด้วยกุญแจ %s " +
		"คำขอที่ไม่มีลายมือชื่อนั้นจึงไม่ใช่ของเรา",
	"The key is published at %s.": "กุญแจเผยแพร่ไว้ที่ %s",
	"Send the lines of your log to the contact: the ledger says whether they are ours, and %s says how " +
		"any crawler behaved.": "" +
		"ส่งบรรทัดจากบันทึกของคุณถึงผู้ติดต่อ: บัญชีบันทึกบอกได้ว่าเป็นของเราหรือไม่ และ %s " +
		"บอกว่าโปรแกรมรวบรวมข้อมูลใดประพฤติอย่างไร",
	"The ledger is signed with this key, so that it cannot be rewritten without a trace. %s of that " +
		"command demands it.": "" +
		"บัญชีบันทึกลงลายมือชื่อด้วยกุญแจนี้ จึงเขียนใหม่โดยไม่ทิ้งร่องรอยไม่ได้ %s " +
		"ของคำสั่งนั้นบังคับให้มีลายมือชื่อนี้",
	"done, but for what is parked":   "เสร็จแล้ว ยกเว้นส่วนที่พักไว้",
	"done: nothing is left to fetch": "เสร็จแล้ว: ไม่เหลือสิ่งที่ต้องดึง",
	"some hosts must wait; run the same command again later to continue": "" +
		"บางโฮสต์ต้องรอ เรียกคำสั่งเดิมอีกครั้งภายหลังเพื่อทำต่อ",
	"interrupted; run the same command again to continue": "" +
		"ถูกขัดจังหวะ เรียกคำสั่งเดิมอีกครั้งเพื่อทำต่อ",
	"failed: %s":              "ล้มเหลว: %s",
	"the limit %s is reached": "ถึงขีดจำกัด %s แล้ว",
	"%s, after %s":            "%s หลังจาก %s",
	"killed or crashed after %s; run the same command again to continue": "" +
		"หยุดกะทันหันหลังจาก %s เรียกคำสั่งเดิมอีกครั้งเพื่อทำต่อ",
	"end":                        "จบ",
	"running":                    "กำลังทำ",
	"not yet begun":              "ยังไม่เริ่ม",
	"requests":                   "คำขอ",
	"pages":                      "หน้า",
	"needed":                     "ส่วนประกอบ",
	"links":                      "ลิงก์",
	"job":                        "งาน",
	"disk":                       "ดิสก์",
	"answers":                    "คำตอบ",
	"reasons":                    "เหตุผล",
	"parked":                     "พักไว้",
	"left":                       "เหลือ",
	"waiting":                    "รออยู่",
	"twins":                      "เว็บคู่",
	"left alone":                 "เว้นไว้",
	"process %s, for %s: %s":     "โปรเซส %s ทำมาแล้ว %s: %s",
	"%d (%d for robots.txt%s%s)": "%d (%d สำหรับ robots.txt%s%s)",
	", %d for sitemaps":          ", %d สำหรับแผนผังเว็บไซต์",
	", %d for what pages need":   ", %d สำหรับส่วนประกอบของหน้า",
	"%d, %d stored, %s, %.1f/s":  "%d, เก็บไว้ %d, %s, %.1f/วินาที",
	"%d of images, styles and the like stored, which count as no pages": "" +
		"เก็บรูปภาพ สไตล์ และอื่น ๆ %d รายการ ซึ่งไม่นับเป็นหน้า",
	"%d found%s, %d new":       "พบ %d%s, ใหม่ %d",
	", %d of them in sitemaps": ", จากแผนผังเว็บไซต์ %d",
	"%d URLs known: %d done, %d refused, %d failed, %d queued, %d to be tried again; %s %s": "" +
		"รู้จัก %d URL: เสร็จ %d, ปฏิเสธ %d, ล้มเหลว %d, อยู่ในคิว %d, จะลองใหม่ %d; %s %s",
	"ledger %s in %s (%s of records), queue %s, list of pages %s": "" +
		"บัญชีบันทึก %s ใน %s (รายการ %s), คิว %s, รายการหน้า %s",
	"%s of places that look endless":  "%s ในที่ซึ่งดูเหมือนไม่มีที่สิ้นสุด",
	"%s names them; %s takes them up": "%s แสดงรายชื่อ; %s นำกลับเข้าคิว",
	"%s until %s (in %s): %s":         "%s จนถึง %s (อีก %s): %s",
	", %d queued":                     ", ในคิว %d",
	"and %d more, see %s":             "และอีก %d ดูที่ %s",
	"%s and %s look like one site: %s at both; to visit one only: %s": "" +
		"%s กับ %s ดูเหมือนเป็นเว็บไซต์เดียวกัน: %s เหมือนกันทั้งสองที่; หากต้องการเข้าเพียงที่เดียว: %s",
	"kept from earlier runs": "เก็บไว้จากการทำงานครั้งก่อน",
	"from %s":                "จาก %s",
	"%s %s, since %s; %s refused in this run":          "%s %s ตั้งแต่ %s; ปฏิเสธ %s ในการทำงานครั้งนี้",
	"the file has a mistake, so nothing is lifted: %s": "ไฟล์มีข้อผิดพลาด จึงยังไม่ยกเลิกข้อใด: %s",
	"no seed gave a page":                              "ไม่มี URL เริ่มต้นใดให้หน้าเว็บ",
	"try: %s":                                          "ลอง: %s",
	"%s  %.1f/s  %d queued on %s":                      "%s  %.1f/วินาที  ในคิว %d (%s)",
	"resting until %s (hours)":                         "หยุดพักถึง %s (hours)",
	"%d resting (%s)":                                  "หยุดพัก %d (%s)",
	"%d failed":                                        "ล้มเหลว %d",
	"ETA %s":                                           "เหลือ %s",
	"none":                                             "ไม่มี",
	"unknown: %s":                                      "ไม่ทราบ: %s",
	"at least %s":                                      "อย่างน้อย %s",
	"the queue is empty, and the last pages may bring links": "คิวว่างแล้ว แต่หน้าสุดท้ายอาจมีลิงก์",
	"no page was fetched recently":                           "ช่วงนี้ไม่มีหน้าที่ดึงมา",
	"%.1f GB":                                                "%.1f GB",
	"%.1f MB":                                                "%.1f MB",
	"%.1f kB":                                                "%.1f kB",
	"%d bytes":                                               "%d ไบต์",
	"answered %d %s":                                         "ตอบ %d %s",
	"given up: %s":                                           "เลิกลอง: %s",
	"not asked for yet":                                      "ยังไม่ได้ขอ",
	"not asked for: %s":                                      "ไม่ได้ขอ: %s",
	"refused: %s":                                            "ปฏิเสธ: %s",
	"redirects to %s: %s":                                    "เปลี่ยนเส้นทางไป %s: %s",
	"redirects again and again, at last to %s": "เปลี่ยนเส้นทางซ้ำแล้วซ้ำอีก ครั้งสุดท้ายไป %s",
	"look at it with: %s":                      "ตรวจดูด้วย: %s",
	"give %s as a seed, or --scope any":        "ให้ %s เป็น URL เริ่มต้น หรือใช้ --scope any",
	"ask its owner; what the owner gave you to log in goes into hosts: of the configuration": "" +
		"ถามเจ้าของ; ข้อมูลเข้าสู่ระบบที่เจ้าของให้ไว้ใส่ใน hosts: ของการตั้งค่า",
	"check the address":                                     "ตรวจสอบที่อยู่",
	"check the address: it redirects nowhere":               "ตรวจสอบที่อยู่: ไม่ได้เปลี่ยนเส้นทางไปที่ใด",
	"another --exclude":                                     "--exclude แบบอื่น",
	"another --include":                                     "--include แบบอื่น",
	"another --accept or --reject":                          "--accept หรือ --reject แบบอื่น",
	"a larger --depth":                                      "--depth ที่มากขึ้น",
	"another action_links in the configuration":             "action_links แบบอื่นในการตั้งค่า",
	"nothing: its owner asked to be left alone (--opt-out)": "ไม่มีอะไรต้องทำ: เจ้าของขอไม่ให้เข้า (--opt-out)",
	"nothing: ask its owner; cybermapper robots explain shows the rules": "" +
		"ไม่มีอะไรต้องทำ: ถามเจ้าของ; cybermapper robots explain แสดงกฎ",
	"check the name": "ตรวจสอบชื่อ",
	"check the certificate; --ca FILE trusts another authority, http:// does without": "" +
		"ตรวจสอบใบรับรอง; --ca FILE เชื่อถือผู้ออกรายอื่น, http:// ไม่ต้องใช้",
	"check the address and the port, then run the same command again": "" +
		"ตรวจสอบที่อยู่และพอร์ต แล้วเรียกคำสั่งเดิมอีกครั้ง",
	"another port": "พอร์ตอื่น",
	"a higher bound in the section traps of the configuration": "เพิ่มขีดจำกัดในส่วน traps ของการตั้งค่า",
	"a higher limit for each host":                             "เพิ่มขีดจำกัดต่อโฮสต์",
	"run the same command again later":                         "เรียกคำสั่งเดิมอีกครั้งภายหลัง",
	"not an http or https URL":                                 "ไม่ใช่ URL แบบ http หรือ https",
	"it is as it was at the visit before":                      "เหมือนเดิมตั้งแต่การเยี่ยมชมครั้งก่อน",
	"it has changed since the visit before":                    "เปลี่ยนไปตั้งแต่การเยี่ยมชมครั้งก่อน",
	"it is gone since an earlier visit":                        "หายไปตั้งแต่การเยี่ยมชมครั้งก่อน",
	"it has moved since an earlier visit":                      "ย้ายไปตั้งแต่การเยี่ยมชมครั้งก่อน",
	"a link out of scope, asked for to see whether it is dead": "ลิงก์นอกขอบเขต ขอเพื่อดูว่าเสียหรือไม่",
	"the page asks robots not to follow its links":             "หน้านี้ขอให้โรบอตไม่ตามลิงก์",
	"the link is marked nofollow":                              "ลิงก์มีเครื่องหมาย nofollow",
	"the page asks not to be stored":                           "หน้านี้ขอไม่ให้เก็บ",
	"the owner asked us to stay away (opt-out)":                "เจ้าของขอไม่ให้เข้า (opt-out)",
	"following the link might do something":                    "การตามลิงก์อาจทำให้เกิดการกระทำ",
	"outside the scope of the crawl":                           "นอกขอบเขตของการรวบรวม",
	"an exclude pattern matches":                               "ตรงกับรูปแบบที่ยกเว้น",
	"a kind of file that is not wanted":                        "ชนิดไฟล์ที่ไม่ต้องการ",
	"too many path segments: this may have no end":             "ส่วนของพาธมากเกินไป: อาจไม่มีที่สิ้นสุด",
	"the same path segment repeats: this may have no end":      "ส่วนของพาธซ้ำกัน: อาจไม่มีที่สิ้นสุด",
	"too many pages that differ only in their query":           "มีหน้าที่ต่างกันเพียงคิวรีมากเกินไป",
	"too many pages in one directory":                          "มีหน้าในไดเรกทอรีเดียวมากเกินไป",
	"the place looks endless, so it is parked":                 "ดูเหมือนไม่มีที่สิ้นสุด จึงพักไว้",
	"the directory serves the same content again and again":    "ไดเรกทอรีให้เนื้อหาเดิมซ้ำ ๆ",
	"only the order of parameters or a session id differs from a page that was visited": "" +
		"ต่างจากหน้าที่เยี่ยมชมแล้วเพียงลำดับพารามิเตอร์หรือรหัสเซสชัน",
	"only parameters differ from a page that was visited, and robots.txt says that these change nothing": "" +
		"ต่างจากหน้าที่เยี่ยมชมแล้วเพียงพารามิเตอร์ ซึ่ง robots.txt บอกว่าไม่เปลี่ยนอะไร",
	"too many hosts of one domain":                  "มีโฮสต์ของโดเมนเดียวมากเกินไป",
	"looks like an error page sent with status 200": "ดูเหมือนหน้าข้อผิดพลาดที่ส่งด้วยสถานะ 200",
	"the redirects form a loop":                     "การเปลี่ยนเส้นทางวนซ้ำ",
	"too many links from a seed":                    "ห่างจาก URL เริ่มต้นหลายลิงก์เกินไป",
	"the limit of pages for this host is reached":   "ถึงขีดจำกัดจำนวนหน้าของโฮสต์นี้แล้ว",
	"the limit of bytes for this host is reached":   "ถึงขีดจำกัดจำนวนไบต์ของโฮสต์นี้แล้ว",
	"the limit of time for this host is reached":    "ถึงขีดจำกัดเวลาของโฮสต์นี้แล้ว",
	"too many links on one page":                    "มีลิงก์ในหน้าเดียวมากเกินไป",
	"too much that one page needs, or styles that import one another without end": "" +
		"หน้าเดียวต้องการส่วนประกอบมากเกินไป หรือสไตล์นำเข้ากันไม่สิ้นสุด",
	"a sitemap speaks for its own directory and for sites whose robots.txt names it": "" +
		"แผนผังเว็บไซต์ใช้ได้กับไดเรกทอรีของตนและเว็บไซต์ที่ robots.txt ระบุถึง",
	"too many sites would have to be asked whether a sitemap speaks for them": "" +
		"ต้องถามเว็บไซต์มากเกินไปว่าแผนผังเว็บไซต์ใช้แทนได้หรือไม่",
	"too many indexes of sitemaps in a row":            "ดัชนีแผนผังเว็บไซต์ซ้อนกันมากเกินไป",
	"the limit of sitemaps for this site is reached":   "ถึงขีดจำกัดแผนผังเว็บไซต์ของเว็บไซต์นี้แล้ว",
	"a private address, which --allow-private permits": "ที่อยู่ส่วนตัว ซึ่ง --allow-private อนุญาต",
	"the port belongs to another service than the web": "พอร์ตเป็นของบริการอื่นที่ไม่ใช่เว็บ",
	"robots.txt does not allow it":                     "robots.txt ไม่อนุญาต",
	"the site asks for pauses so long that only its seeds are visited": "" +
		"เว็บไซต์ขอให้เว้นช่วงนานมาก จึงเข้าเฉพาะ URL เริ่มต้น",
	"the server reported an error":               "เซิร์ฟเวอร์แจ้งข้อผิดพลาด",
	"429: the server asks us to slow down":       "429: เซิร์ฟเวอร์ขอให้ช้าลง",
	"503: the server asks us to come back later": "503: เซิร์ฟเวอร์ขอให้กลับมาภายหลัง",
	"the host name has no address":               "ชื่อโฮสต์ไม่มีที่อยู่",
	"nobody accepts connections there":           "ไม่มีใครรับการเชื่อมต่อที่นั่น",
	"no answer came in time":                     "ไม่มีคำตอบภายในเวลา",
	"no secure connection could be made":         "สร้างการเชื่อมต่อที่ปลอดภัยไม่ได้",
	"robots.txt cannot be fetched, so everything counts as disallowed": "" +
		"ดึง robots.txt ไม่ได้ จึงถือว่าทุกอย่างถูกห้าม",
	"robots.txt asks for visits at another time of day": "robots.txt ขอให้เข้าในเวลาอื่นของวัน",
	"the settings (hours) name another time for it":     "การตั้งค่า (hours) ระบุเวลาอื่น",
	"401 or 403 many times in a row: the owner may not want us": "" +
		"401 หรือ 403 หลายครั้งติดกัน: เจ้าของอาจไม่ต้องการเรา",
	"choose another --job; nothing was changed": "เลือก --job อื่น; ไม่มีสิ่งใดเปลี่ยนแปลง",
	"use the version of cybermapper that made it; nothing was changed": "" +
		"ใช้ cybermapper รุ่นที่สร้างงานนี้; ไม่มีสิ่งใดเปลี่ยนแปลง",
	"take it away, or put back what was there; nothing was read or changed": "" +
		"นำออก หรือนำของเดิมกลับมา; ไม่ได้อ่านหรือเปลี่ยนสิ่งใด",
	"wait for it, stop it, or choose another --job": "รอให้เสร็จ หยุดโปรเซสนั้น หรือเลือก --job อื่น",
	"raise the limit to continue the crawl":         "เพิ่มขีดจำกัดเพื่อทำต่อ",
	"a seed is an absolute http or https URL, one per line": "" +
		"URL เริ่มต้นคือ URL แบบเต็มที่ขึ้นต้นด้วย http หรือ https บรรทัดละหนึ่งรายการ",
	"--contact you@example.org, or agent.contact in the configuration, goes into User-Agent": "" +
		"--contact you@example.org หรือ agent.contact ในการตั้งค่า จะอยู่ใน User-Agent",
	"--allow-private lets cybermapper visit loopback and private addresses": "" +
		"--allow-private ให้ cybermapper เข้าที่อยู่ส่วนตัวและลูปแบ็กได้",
	"--fresh starts over, --again goes on":             "--fresh เริ่มใหม่, --again ทำต่อ",
	"without --fresh the crawl goes on; --yes answers": "หากไม่มี --fresh จะทำต่อ; --yes ตอบตกลงแทน",
}
