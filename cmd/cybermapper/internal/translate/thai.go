package translate

import "golang.org/x/text/feature/plural"

var thaiPlurals = plurals{
	"%d links":    {plural.Other, "%d ลิงก์"},
	"%d requests": {plural.Other, "%d คำขอ"},
	"%d times":    {plural.Other, "%d ครั้ง"},
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
	"%s, %d stored, %s, %.1f/s":  "%s, เก็บไว้ %d, %s, %.1f/วินาที",
	"%d new, %d visited again":   "ใหม่ %d, เยี่ยมชมซ้ำ %d",
	"%d of images, styles and the like stored, which count as no pages": "" +
		"เก็บรูปภาพ สไตล์ และอื่น ๆ %d รายการ ซึ่งไม่นับเป็นหน้า",
	"%d found%s, %d new":       "พบ %d%s, ใหม่ %d",
	", %d of them in sitemaps": ", จากแผนผังเว็บไซต์ %d",
	"%d URLs known: %d done, %d refused, %d failed, %d queued, %d to be tried again; %s %s": "" +
		"รู้จัก %d URL: เสร็จ %d, ปฏิเสธ %d, ล้มเหลว %d, อยู่ในคิว %d, จะลองใหม่ %d; %s %s",
	"ledger %s in %s (%s of records), queue %s, list of pages %s": "" +
		"บัญชีบันทึก %s ใน %s (รายการ %s), คิว %s, รายการหน้า %s",
	"deeper": "ลึกกว่า",
	"none leads on; these sites are out of scope: %s":   "ไม่มีลิงก์ใดพาไปต่อ เว็บไซต์เหล่านี้อยู่นอกขอบเขต: %s",
	"as seeds they are visited; --scope any visits all": "หากให้เป็น URL เริ่มต้นจะเข้าไป; --scope any เข้าทั้งหมด",
	"links that only scripts make are not seen: more seeds or --sitemaps lead there": "" +
		"ลิงก์ที่สร้างด้วยสคริปต์เท่านั้นจะมองไม่เห็น ให้เพิ่ม seed หรือใช้ --sitemaps",
	"no page has a link to others; those that only scripts make are not seen: seeds or --sitemaps lead there": "" +
		"ไม่มีหน้าใดมีลิงก์ไปยังหน้าอื่น ลิงก์ที่สร้างด้วยสคริปต์เท่านั้นจะมองไม่เห็น ให้เพิ่ม seed หรือใช้ --sitemaps",
	"no page has a link; what only scripts make of pages, links as well as texts, is not seen": "" +
		"ไม่มีหน้าใดมีลิงก์ สิ่งที่สร้างด้วยสคริปต์เท่านั้น ทั้งลิงก์และข้อความ จะมองไม่เห็น",
	"%s beyond the depth allowed, and what they lead to": "%s ลึกเกินที่อนุญาต และสิ่งที่ลิงก์ต่อไปจากนั้น",
	"%s takes them up, with a greater N":                 "%s นำกลับเข้าคิว เมื่อ N มากขึ้น",
	"pages ask robots not to follow their links, and no others led further": "" +
		"หน้าเว็บขอไม่ให้หุ่นยนต์ตามลิงก์ของตน และไม่มีหน้าอื่นที่นำต่อไป",
	"more seeds, or %s, may":          "เพิ่มจุดเริ่มต้น หรือใช้ %s อาจไปต่อได้",
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
	"seeds that gave no page: %d":                      "URL เริ่มต้นที่ไม่ให้หน้าเว็บ: %d",
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
	"to be tried again: %s":                                  "จะลองใหม่: %s",
	"not asked for yet":                                      "ยังไม่ได้ขอ",
	"not asked for: %s":                                      "ไม่ได้ขอ: %s",
	"refused: %s":                                            "ปฏิเสธ: %s",
	"redirects to %s: %s":                                    "เปลี่ยนเส้นทางไป %s: %s",
	"redirects again and again, at last to %s": "เปลี่ยนเส้นทางซ้ำแล้วซ้ำอีก ครั้งสุดท้ายไป %s",
	"accept_cookies in hosts: of the configuration, in case the site wants a cookie back that it sets": "" +
		"accept_cookies ใน hosts: ของการตั้งค่า เผื่อเว็บไซต์ต้องการคุกกี้ที่ตั้งไว้กลับคืน",
	"look at it with: %s":                    "ตรวจดูด้วย: %s",
	"give %s as a seed, or --scope any":      "ให้ %s เป็น URL เริ่มต้น หรือใช้ --scope any",
	"ask its owner to let this crawler pass": "ขอให้เจ้าของอนุญาตให้โปรแกรมนี้ผ่าน",
	"ask its owner; a login that you got goes into hosts: of the configuration, with --again=all": "" +
		"ถามเจ้าของ; ข้อมูลเข้าสู่ระบบที่เจ้าของให้ไว้ใส่ใน hosts: ของการตั้งค่า พร้อม --again=all",
	"check the address; --again=all asks again":             "ตรวจสอบที่อยู่; --again=all จะขออีกครั้ง",
	"check the address: it redirects nowhere":               "ตรวจสอบที่อยู่: ไม่ได้เปลี่ยนเส้นทางไปที่ใด",
	"another --exclude":                                     "--exclude แบบอื่น",
	"another --include":                                     "--include แบบอื่น",
	"another --accept or --reject, with --again=all":        "--accept หรือ --reject แบบอื่น พร้อม --again=all",
	"a larger --depth":                                      "--depth ที่มากขึ้น",
	"another action_links in the configuration":             "action_links แบบอื่นในการตั้งค่า",
	"nothing: its owner asked to be left alone (--opt-out)": "ไม่มีอะไรต้องทำ: เจ้าของขอไม่ให้เข้า (--opt-out)",
	"nothing: ask its owner; cybermapper robots explain shows the rules": "" +
		"ไม่มีอะไรต้องทำ: ถามเจ้าของ; cybermapper robots explain แสดงกฎ",
	"check the name": "ตรวจสอบชื่อ",
	"check the certificate and your clock; --ca FILE trusts another authority, http:// does without": "" +
		"ตรวจสอบใบรับรองและนาฬิกาของเครื่องนี้; --ca FILE เชื่อถือผู้ออกรายอื่น, http:// ไม่ต้องใช้",
	"--allow-private; a run after the rest of the site asks again, another --job at once": "" +
		"--allow-private; คำสั่งเดิมจะลองอีกครั้งเมื่อไซต์พักครบ ส่วน --job อื่นลองได้ทันที",
	"check the address and the port; a run after the rest of the site asks again, another --job at once": "" +
		"ตรวจสอบที่อยู่และพอร์ต; คำสั่งเดิมจะลองอีกครั้งเมื่อไซต์พักครบ ส่วน --job อื่นลองได้ทันที",
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
	"it leads to a form to sign in":                            "นำไปยังแบบฟอร์มเข้าสู่ระบบ",
	"outside the scope of the crawl":                           "นอกขอบเขตของการรวบรวม",
	"an exclude pattern matches":                               "ตรงกับรูปแบบที่ยกเว้น",
	"the feed of a part of the site":                           "ฟีดของบางส่วนของไซต์",
	"a kind of file that is not wanted":                        "ชนิดไฟล์ที่ไม่ต้องการ",
	"too many path segments: this may have no end":             "ส่วนของพาธมากเกินไป: อาจไม่มีที่สิ้นสุด",
	"the same path segment repeats: this may have no end":      "ส่วนของพาธซ้ำกัน: อาจไม่มีที่สิ้นสุด",
	"too many pages that differ only in their query":           "มีหน้าที่ต่างกันเพียงคิวรีมากเกินไป",
	"too many pages in one directory":                          "มีหน้าในไดเรกทอรีเดียวมากเกินไป",
	"the place looks endless, so it is parked":                 "ดูเหมือนไม่มีที่สิ้นสุด จึงพักไว้",
	"the directory serves the same content again and again":    "ไดเรกทอรีให้เนื้อหาเดิมซ้ำ ๆ",
	"only the order or repetition of parameters, or a session or campaign, differs from a page that was visited": "" +
		"ต่างจากหน้าที่เยี่ยมชมแล้วเพียงลำดับหรือการซ้ำของพารามิเตอร์ หรือพารามิเตอร์ของเซสชันหรือแคมเปญ",
	"the listing of a directory that was visited, in another order": "รายการของไดเรกทอรีที่เยี่ยมชมแล้ว ในลำดับอื่น",
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
	"its site gave one answer for all pages": "เว็บไซต์ให้คำตอบเดียวกันสำหรับทุกหน้า",
	"a test whether there is a browser, or a human, came in its place": "" +
		"สิ่งที่ได้มาแทนคือการทดสอบว่าเป็นเบราว์เซอร์หรือคนจริง",
	"the server reported an error":                                 "เซิร์ฟเวอร์แจ้งข้อผิดพลาด",
	"429: the server asks us to slow down":                         "429: เซิร์ฟเวอร์ขอให้ช้าลง",
	"the server asks us to come back later":                        "เซิร์ฟเวอร์ขอให้กลับมาภายหลัง",
	"511: the network between us and the site wants a login first": "511: เครือข่ายระหว่างเรากับเว็บไซต์ขอให้เข้าสู่ระบบก่อน",
	"no address was found for the host name":                       "ไม่พบที่อยู่ของชื่อโฮสต์",
	"nobody accepts connections there, or no way leads there":      "ไม่มีใครรับการเชื่อมต่อที่นั่น หรือไม่มีเส้นทางไปถึง",
	"no answer came in time":                                       "ไม่มีคำตอบภายในเวลา",
	"no secure connection could be made":                           "สร้างการเชื่อมต่อที่ปลอดภัยไม่ได้",
	"robots.txt cannot be fetched, so everything counts as disallowed": "" +
		"ดึง robots.txt ไม่ได้ จึงถือว่าทุกอย่างถูกห้าม",
	"robots.txt asks for visits at another time of day": "robots.txt ขอให้เข้าในเวลาอื่นของวัน",
	"the settings (hours) name another time for it":     "การตั้งค่า (hours) ระบุเวลาอื่น",
	"401, 403 or a challenge many times in a row: the owner may not want us": "" +
		"401, 403 หรือการทดสอบหลายครั้งติดกัน: เจ้าของอาจไม่ต้องการเรา",
	"choose another --job; nothing was changed": "เลือก --job อื่น; ไม่มีสิ่งใดเปลี่ยนแปลง",
	"use the version of cybermapper that made it; nothing was changed": "" +
		"ใช้ cybermapper รุ่นที่สร้างงานนี้; ไม่มีสิ่งใดเปลี่ยนแปลง",
	"take it away, or put back what was there; nothing was read or changed": "" +
		"นำออก หรือนำของเดิมกลับมา; ไม่ได้อ่านหรือเปลี่ยนสิ่งใด",
	"choose another --job, where you may write":     "เลือก --job อื่นที่คุณเขียนได้",
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
	"%s at %s: what was done, and how we know":         "%s ที่ %s: ทำอะไรไป และเรารู้ได้อย่างไร",
	"%s at %s": "%s ที่ %s",
	"The record of this crawl is broken, so nothing can be told from it, and this page tells nothing " +
		"else.": "" +
		"บัญชีบันทึกของการรวบรวมนี้เสียหาย จึงบอกอะไรจากบันทึกไม่ได้ และหน้านี้ไม่บอกสิ่งอื่นใด",
	"Made on %s for the owner of %s. Ask the operator for an explanation.": "" +
		"จัดทำเมื่อ %s สำหรับเจ้าของ %s โปรดขอคำอธิบายจากผู้ดำเนินการ",
	"By its record, the crawler kept every promise at %s.": "ตามบันทึก โปรแกรมรักษาคำมั่นทุกข้อที่ %s",
	"By its own record, the crawler broke a promise at %s: see what is refuted below.": "" +
		"ตามบันทึกของตนเอง โปรแกรมผิดคำมั่นที่ %s ดูข้อที่ถูกหักล้างด้านล่าง",
	"Nothing in the record contradicts the promises of the crawler at %s, but not all of it can be shown.": "" +
		"ไม่มีสิ่งใดในบันทึกขัดกับคำมั่นของโปรแกรมที่ %s แต่แสดงหลักฐานไม่ได้ทั้งหมด",
	"This page is for the owner of %s. It tells what the web crawler %s did there, from the record that " +
		"it keeps of every request. The page was made on %s.": "" +
		"หน้านี้สำหรับเจ้าของ %s บอกว่าโปรแกรมรวบรวมข้อมูล %s ทำอะไรที่นั่น จากบันทึกของทุกคำขอ จัดทำเมื่อ %s",
	"Who it was":                    "คือใคร",
	"The crawler is %s.":            "โปรแกรมคือ %s",
	"Its operator gave no contact.": "ผู้ดำเนินการไม่ได้ให้ข้อมูลติดต่อ",
	"The record is signed by %s.":   "บันทึกลงลายมือชื่อโดย %s",
	"Please write to %s.":           "โปรดเขียนถึง %s",
	"It came from %s.":              "มาจาก %s",
	"From which address it came is not in the record: a router or a proxy stood between, or an older " +
		"version did not write it down. The log of your server has it.": "" +
		"บันทึกไม่มีที่อยู่ที่มา เพราะมีเราเตอร์หรือพร็อกซีคั่น หรือรุ่นเก่าไม่ได้จดไว้ " +
		"ดูได้จากบันทึกของเซิร์ฟเวอร์ของคุณ",
	"These addresses of yours were asked: %s.": "ที่อยู่ของคุณที่ถูกขอ: %s",
	"In short": "โดยสรุป",
	"%s from %s to %s: %d for pages, %d for robots.txt. They brought %s.": "" +
		"%s ตั้งแต่ %s ถึง %s: หน้า %d, robots.txt %d ได้ข้อมูล %s",
	"%d got no answer.": "ไม่ได้รับคำตอบ %d",
	"Between the end of a request and the start of the next %s passed at the least, %s on average. In " +
		"the busiest minute there were %s.": "" +
		"ระหว่างจบคำขอหนึ่งกับเริ่มคำขอถัดไปเว้นอย่างน้อย %s เฉลี่ย %s ในนาทีที่มากที่สุดมี %s",
	"The operator has listed this site as one with a pace of its own.": "" +
		"ผู้ดำเนินการกำหนดจังหวะเฉพาะสำหรับเว็บไซต์นี้",
	"You answered within %s on average, %s at the quickest and %s at the slowest.": "" +
		"คุณตอบเฉลี่ยภายใน %s เร็วที่สุด %s ช้าที่สุด %s",
	"Nothing was ever requested.": "ไม่เคยขอสิ่งใด",
	"%s a page was not requested because your robots.txt says so.": "" +
		"มี %s ที่ไม่ได้ขอหน้าเพราะ robots.txt ของคุณระบุไว้",
	"There was no link to anything that your robots.txt closes.": "ไม่มีลิงก์ไปยังสิ่งที่ robots.txt ของคุณปิด",
	"What can be shown": "สิ่งที่แสดงหลักฐานได้",
	"All of this was worked out from the record and from the robots.txt files as they were then, by code " +
		"that is not that of the crawler.": "" +
		"ทั้งหมดนี้คำนวณจากบันทึกและไฟล์ robots.txt ในขณะนั้น ด้วยโค้ดที่ไม่ใช่โค้ดของโปรแกรมรวบรวมข้อมูล",
	"%d checked":   "ตรวจสอบ %d",
	"%d broken":    "ผิด %d",
	"%d not known": "ไม่ทราบ %d",
	"%s the crawler ended without saying so. What was under way at your site then is in no record: at " +
		"most one request each time.": "" +
		"มี %s ที่โปรแกรมจบโดยไม่บอก สิ่งที่กำลังทำที่เว็บไซต์ของคุณขณะนั้นไม่มีในบันทึก: " +
		"ไม่เกินครั้งละหนึ่งคำขอ",
	"Note: %s.":          "หมายเหตุ: %s",
	"Under which policy": "ภายใต้นโยบายใด",
	"What the operator had set is part of the record. A proof is worth what it demands.": "" +
		"ค่าที่ผู้ดำเนินการตั้งไว้เป็นส่วนหนึ่งของบันทึก หลักฐานมีค่าเท่าที่เรียกร้อง",
	"When":              "เมื่อใด",
	"Day (UTC)":         "วัน (UTC)",
	"Requests":          "คำขอ",
	"Compared":          "เปรียบเทียบ",
	"What you answered": "คุณตอบอะไร",
	"HTTP status":       "สถานะ HTTP",
	"no answer":         "ไม่มีคำตอบ",
	"Every request":     "ทุกคำขอ",
	"To be held against your log. Times are those of the crawler, in UTC. The pause is the one before " +
		"the request: what was owed, and what the clocks say was kept.": "" +
		"สำหรับเทียบกับบันทึกของคุณ เวลาเป็นของโปรแกรม (UTC) ช่วงเว้นคือก่อนคำขอ: ที่ต้องเว้น " +
		"และที่เว้นจริงตามนาฬิกา",
	"These are the first %d of %d.":       "นี่คือ %d รายการแรกจาก %d",
	"Time":                                "เวลา",
	"Status":                              "สถานะ",
	"Pause owed":                          "ช่วงเว้นที่ต้องมี",
	"kept":                                "เว้นจริง",
	"None.":                               "ไม่มี",
	"line %d: %s":                         "บรรทัด %d: %s",
	"asked for its rules":                 "ขอกฎ",
	"always allowed; asked for as a page": "อนุญาตเสมอ; ขอเป็นหน้า",
	"no rule matches":                     "ไม่มีกฎใดตรง",
	"no group applies to us":              "ไม่มีกลุ่มใดใช้กับเรา",
	"robots.txt itself is always allowed": "robots.txt เองอนุญาตเสมอ",
	"there is no robots.txt":              "ไม่มี robots.txt",
	"robots.txt could not be fetched":     "ดึง robots.txt ไม่ได้",
	"Under which rules":                   "ภายใต้กฎใด",
	"%s, asked for on %s: %s":             "%s ขอเมื่อ %s: %s",
	"it decided on %s.":                   "ใช้ตัดสิน %s",
	"robots.txt was not asked for.":       "ไม่ได้ขอ robots.txt",
	"What was never requested":            "สิ่งที่ไม่เคยขอ",
	"Page":                                "หน้า",
	"Line":                                "บรรทัด",
	"Rule":                                "กฎ",
	"Rule of your robots.txt":             "กฎใน robots.txt ของคุณ",
	"The list is not complete: each page is listed once, and only the first of them.": "" +
		"รายการไม่ครบ: แต่ละหน้าแสดงครั้งเดียว และเฉพาะรายการแรก ๆ",
	"Nothing: no link led to a page that robots.txt closes.": "ไม่มี: ไม่มีลิงก์ใดไปยังหน้าที่ robots.txt ปิด",
	"Other links to your site were not followed for reasons of the crawler, not of yours:": "" +
		"ลิงก์อื่นไปยังเว็บไซต์ของคุณไม่ได้ตามด้วยเหตุผลของโปรแกรมเอง ไม่ใช่ของคุณ:",
	"What refused it":                "สิ่งที่ปฏิเสธ",
	"Why":                            "เพราะอะไร",
	"Links":                          "ลิงก์",
	"Under your robots.txt of today": "ตาม robots.txt ของคุณในวันนี้",
	"%s of %d would be closed by your robots.txt as it was found last, on %s. They were made before, " +
		"under the one in force then.": "" +
		"%s จาก %d จะถูกปิดโดย robots.txt ของคุณที่พบล่าสุดเมื่อ %s คำขอเหล่านี้ทำก่อนหน้า " +
		"ตามไฟล์ที่ใช้ในขณะนั้น",
	"Closed today": "ปิดในวันนี้",
	"Nothing that was requested would be closed by your robots.txt as it was found last, on %s (%s " +
		"asked).": "" +
		"ไม่มีสิ่งที่ขอไปรายการใดจะถูกปิดโดย robots.txt ของคุณที่พบล่าสุดเมื่อ %s (ตรวจ %s)",
	"No robots.txt of yours was found when it was asked for last, so there is nothing to ask.": "" +
		"ครั้งล่าสุดที่ขอไม่พบ robots.txt ของคุณ จึงไม่มีสิ่งให้ตรวจ",
	"If it has changed since: %s tells what the one at hand would close.": "" +
		"หากเปลี่ยนไปแล้ว: %s บอกว่าไฟล์ที่คุณมีจะปิดสิ่งใด",
	"This in your robots.txt keeps it out; it is read again within a day:": "" +
		"ข้อความนี้ใน robots.txt ของคุณห้ามไม่ให้เข้า ไฟล์จะถูกอ่านใหม่ภายในหนึ่งวัน:",
	"Or slow it down with %s, or with status 429 or 503 and %s.": "" +
		"หรือทำให้ช้าลงด้วย %s หรือสถานะ 429 หรือ 503 พร้อม %s",
	"How to check this page": "วิธีตรวจสอบหน้านี้",
	"These lines stand for the record as it was when this page was made, with %d lines about all sites.": "" +
		"บรรทัดเหล่านี้แทนบันทึกในขณะจัดทำหน้านี้ ซึ่งมี %d บรรทัดเกี่ยวกับทุกเว็บไซต์",
	"The operator has signed them.": "ผู้ดำเนินการลงลายมือชื่อไว้",
	"Nobody has signed them.":       "ไม่มีใครลงลายมือชื่อ",
	"Keep them: an operator can rewrite a record as a whole, and only what somebody else kept shows it.": "" +
		"เก็บไว้: ผู้ดำเนินการเขียนบันทึกใหม่ทั้งหมดได้ และมีเพียงสิ่งที่ผู้อื่นเก็บไว้เท่านั้นที่พิสูจน์ได้",
	"Ask the operator for the bundle of your site, if it did not come with this page: one zip file with " +
		"all lines about you, the proof that they are part of the record, and your robots.txt files. The " +
		"free program cybermapper judges it, without anything else:": "" +
		"ขอชุดข้อมูลของเว็บไซต์ของคุณจากผู้ดำเนินการ หากไม่ได้มากับหน้านี้: ไฟล์ zip " +
		"หนึ่งไฟล์ที่มีทุกบรรทัดเกี่ยวกับคุณ หลักฐานว่าเป็นส่วนของบันทึก และไฟล์ robots.txt ของคุณ " +
		"โปรแกรมเสรี cybermapper ตรวจสอบได้โดยไม่ต้องใช้สิ่งอื่น:",
	"The first works all of this page out again. The second holds it against the log of your own server, " +
		"both ways: what is there that the crawler did not write down, and the other way round. A README.txt " +
		"in the bundle says how to check it with sha256sum and nothing of ours.": "" +
		"คำสั่งแรกคำนวณหน้านี้ใหม่ทั้งหมด คำสั่งที่สองเทียบกับบันทึกของเซิร์ฟเวอร์ของคุณทั้งสองทาง: " +
		"สิ่งที่อยู่ในนั้นแต่โปรแกรมไม่ได้จด และในทางกลับกัน README.txt ในชุดข้อมูลบอกวิธีตรวจด้วย sha256sum " +
		"โดยไม่ใช้โปรแกรมของเรา",
	"The record is a chain of %d lines in which each names the SHA-256 of the one before. It ended in %s " +
		"when this page was made.": "" +
		"บันทึกเป็นโซ่ %d บรรทัด แต่ละบรรทัดระบุ SHA-256 ของบรรทัดก่อนหน้า เมื่อจัดทำหน้านี้จบด้วย %s",
	"Keep that number: an operator can rewrite a record as a whole, and only a number that somebody else " +
		"kept shows it.": "" +
		"เก็บเลขนั้นไว้: ผู้ดำเนินการเขียนบันทึกใหม่ทั้งหมดได้ " +
		"และมีเพียงเลขที่ผู้อื่นเก็บไว้เท่านั้นที่พิสูจน์ได้",
	"proven":    "พิสูจน์แล้ว",
	"refuted":   "ถูกหักล้าง",
	"not shown": "ไม่มีหลักฐาน",
	"no case":   "ไม่มีกรณี",
	"the ledger is whole: no record was altered, dropped, inserted or moved": "" +
		"บันทึกครบถ้วน: ไม่มีรายการใดถูกแก้ ลบ แทรก หรือย้าย",
	"every line stands in the ledger of the checkpoint where it says: none was altered, inserted or moved": "" +
		"ทุกบรรทัดอยู่ในบันทึกของจุดตรวจตามที่ระบุ: ไม่มีบรรทัดใดถูกแก้ แทรก หรือย้าย",
	"the ledger continues what was noted of it earlier": "บันทึกต่อเนื่องจากสิ่งที่จดไว้ก่อนหน้า",
	"every robots.txt that a decision names is stored as it was, and the rule stands in the line named": "" +
		"robots.txt ทุกไฟล์ที่การตัดสินใจอ้างถึงถูกเก็บไว้ตามเดิม และกฎอยู่ในบรรทัดที่ระบุ",
	"every request had a decision under the robots.txt in force then": "" +
		"ทุกคำขอมีการตัดสินใจตาม robots.txt ที่ใช้ในขณะนั้น",
	"nothing was requested that robots.txt disallowed":     "ไม่ได้ขอสิ่งใดที่ robots.txt ห้าม",
	"nobody was asked for anything after being opted out":  "ไม่ได้ขอสิ่งใดจากผู้ที่ขอไม่ให้เข้าแล้ว",
	"no decision rests on a robots.txt older than allowed": "ไม่มีการตัดสินใจใดอาศัย robots.txt ที่เก่าเกินกำหนด",
	"no gap between requests to a site was shorter than owed, and none was owed that was too short": "" +
		"ไม่มีช่วงเว้นระหว่างคำขอสั้นกว่าที่ต้องเว้น และที่ต้องเว้นก็ไม่สั้นเกินไป",
	"a site that asked for a rest, as by 429 or 503, or gave no answer, was left alone as long as the run promises": "" +
		"เว็บไซต์ที่ขอให้พัก เช่นด้วย 429 หรือ 503 หรือไม่ตอบ ถูกเว้นไว้นานตามที่ให้คำมั่น",
	"no site had more requests in flight at once than allowed: one": "" +
		"ไม่มีเว็บไซต์ใดมีคำขอพร้อมกันเกินที่อนุญาต: หนึ่ง",
	"no site was asked by two nodes under rights that held at once, nor under one that was over": "" +
		"ไม่มีเว็บไซต์ใดถูกขอโดยสองโหนดด้วยสิทธิ์ที่มีผลพร้อมกัน และไม่มีคำขอใดใช้สิทธิ์ที่สิ้นสุดแล้ว",
	"no IP address had more requests in flight at once than allowed": "ไม่มีที่อยู่ IP ใดมีคำขอพร้อมกันเกินที่อนุญาต",
	"nothing was requested twice, except robots.txt when due or as a page too, and what had failed or " +
		"was interrupted": "" +
		"ไม่มีสิ่งใดถูกขอสองครั้ง ยกเว้น robots.txt เมื่อถึงกำหนดหรือขอเป็นหน้าด้วย " +
		"และสิ่งที่ล้มเหลวหรือถูกขัดจังหวะ",
	"every refusal by robots.txt names the file in force and the rule that decided": "" +
		"ทุกการปฏิเสธเพราะ robots.txt ระบุไฟล์ที่ใช้และกฎที่ตัดสิน",
	"every record is understood, and fits the clocks and the records around it": "" +
		"ทุกรายการเข้าใจได้ และสอดคล้องกับนาฬิกาและรายการรอบข้าง",
	"every page on disk belongs to an allowed request, and is as it was stored": "" +
		"ทุกหน้าบนดิสก์มาจากคำขอที่อนุญาต และเป็นตามที่เก็บไว้",
	"every line of the list of pages is as it was written": "ทุกบรรทัดของรายการหน้าเป็นตามที่เขียนไว้",
	"every request of ours in the log of the site is on record": "" +
		"ทุกคำขอของเราในบันทึกของเว็บไซต์มีอยู่ในบันทึกของเรา",
	"every request on record that was answered is in the log of the site": "" +
		"ทุกคำขอในบันทึกของเราที่ได้รับคำตอบมีอยู่ในบันทึกของเว็บไซต์",
	"the ledger continues what requests in the log of the site say of it": "" +
		"บันทึกของเราต่อเนื่องจากสิ่งที่คำขอในบันทึกของเว็บไซต์บอกไว้",
	"log and record tell the same of each: what was answered, and when": "" +
		"บันทึกทั้งสองบอกตรงกันในแต่ละคำขอ: ตอบอะไรและเมื่อใด",
	"%s, and that is an answer":        "%s และนั่นก็เป็นคำตอบ",
	"%s, given up":                     "%s เลิกพยายามแล้ว",
	"%s, tried again in %s":            "%s ลองอีกครั้งใน %s",
	"%s; left alone until %s":          "%s ไม่รบกวนจนถึง %s",
	"(everything)":                     "(ทั้งหมด)",
	"* stands for page=2&":             "* แทน page=2&",
	", %d of them followed":            " ตามไป %d ลิงก์",
	"410: gone, and that is an answer": "410: ไม่มีแล้ว และนั่นก็เป็นคำตอบ",
	"; stored with it: %s":             " เก็บไว้ด้วยกัน: %s",
	"Allow makes exceptions, * and $ are wildcards, the longest rule wins (RFC 9309)": "" +
		"Allow เป็นข้อยกเว้น * และ $ เป็นอักขระตัวแทน กฎที่ยาวที่สุดชนะ (RFC 9309)",
	"Cybermapper visits small sites on this machine, %d of them. This is what they ask of robots:": "" +
		"Cybermapper เข้าชมเว็บไซต์เล็ก ๆ ในเครื่องนี้ จำนวน %d แห่ง นี่คือสิ่งที่แต่ละแห่งขอจากโรบอต:",
	"META noai, and a copy of /master.html":                       "META noai และเป็นสำเนาของ /master.html",
	"Or look at it, in a browser: %s":                             "หรือดูในเบราว์เซอร์: %s",
	"The crawl: what is asked for, what is not, and why":          "การเก็บข้อมูล: ขออะไร ไม่ขออะไร และเพราะเหตุใด",
	"The job lies in %s: pages/ as fetched, robots/ by digest,":   "งานอยู่ใน %s: pages/ ตามที่ดึงมา robots/ ตามค่าแฮช",
	"The job, as crawl would sum it up":                           "งานนี้ ตามที่คำสั่ง crawl จะสรุป",
	"What the servers saw, and what was stored":                   "สิ่งที่เซิร์ฟเวอร์เห็น และสิ่งที่เก็บไว้",
	"a group that names us replaces the one for *":                "กลุ่มที่ระบุชื่อเราแทนที่กลุ่มของ *",
	"whether the whole site fails; %s":                            "ทั้งเว็บไซต์ขัดข้องหรือไม่; %s",
	"a page that cannot exist, to learn how the site says so; %s": "หน้าที่ไม่มีทางมีอยู่ เพื่อดูว่าเว็บไซต์ตอบอย่างไร; %s",
	"a preference closes nothing":                                 "ความประสงค์ไม่ได้ปิดสิ่งใด",
	"a redirect is a link, to %s":                                 "การเปลี่ยนเส้นทางคือลิงก์ ไปยัง %s",
	"a rule is a prefix of the path, and this is not it":          "กฎคือส่วนต้นของพาธ แต่พาธนี้ขึ้นต้นอย่างอื่น",
	"a seed, at the pace that is asked for":                       "ที่อยู่เริ่มต้น ตามจังหวะที่ขอไว้",
	"a sitemap may be a list of URLs, one per line":               "แผนผังเว็บไซต์อาจเป็นรายการ URL บรรทัดละหนึ่งรายการ",
	"a sitemap, not stored: %s, %d of them to be visited":         "แผนผังเว็บไซต์ ไม่เก็บ: %s จะเข้าชม %d",
	"a vote link: following it would do something":                "ลิงก์ลงคะแนน: การตามลิงก์จะทำให้เกิดการกระทำ",
	"an empty Disallow closes nothing":                            "Disallow ที่ว่างไม่ได้ปิดสิ่งใด",
	"an error at first; asked for again later":                    "ตอนแรกผิดพลาด ขออีกครั้งในภายหลัง",
	"another id is another page":                                  "id อื่นคือหน้าอื่น",
	"answers 503 to robots.txt: nobody knows its rules, so nothing is asked for": "" +
		"ตอบ 503 เมื่อขอ robots.txt: ไม่มีใครรู้กฎ จึงไม่ขอสิ่งใด",
	"any site":  "เว็บไซต์ใดก็ตาม",
	"asked for": "ขอแล้ว",
	"asked for, not stored (META noindex), its links followed": "ขอแล้ว ไม่เก็บ (META noindex) แต่ตามลิงก์ของหน้า",
	"asks for pauses so long that only seeds are visited (from 5 minutes on; in this demo from 2.5 seconds)": "" +
		"ขอให้เว้นช่วงนานจนเข้าชมเฉพาะที่อยู่เริ่มต้น (ตั้งแต่ 5 นาที ในการสาธิตนี้ตั้งแต่ 2.5 วินาที)",
	"asks for two seconds between requests, which is more than we would have left by ourselves": "" +
		"ขอให้เว้นสองวินาทีระหว่างคำขอ ซึ่งมากกว่าที่เราจะเว้นเอง",
	"asks to read its robots.txt again soon; the second time it closes /draft.html, which is in the queue by then": "" +
		"ขอให้อ่าน robots.txt อีกครั้งในไม่ช้า ครั้งที่สองจะปิด /draft.html ซึ่งขณะนั้นอยู่ในคิวแล้ว",
	"at that pace links are not worth its while: line 2": "ที่จังหวะนั้นไม่คุ้มที่จะตามลิงก์: บรรทัด 2",
	"closed":                                               "ปิดไว้",
	"closed to robots":                                     "ปิดไม่ให้โรบอตเข้า",
	"closed to robots: it has no end":                      "ปิดไม่ให้โรบอตเข้า: ไม่มีที่สิ้นสุด",
	"closed to robots: it will soon disappear":             "ปิดไม่ให้โรบอตเข้า: จะหายไปในไม่ช้า",
	"closed, and a redirect is no way around that":         "ปิดไว้ และการเปลี่ยนเส้นทางไม่ใช่ทางอ้อม",
	"closed, and that a copy names it opens nothing":       "ปิดไว้ และการที่สำเนาอ้างถึงก็ไม่ได้เปิดสิ่งใด",
	"differs in nothing that counts: line 2":               "ไม่ต่างในสิ่งที่มีความหมาย: บรรทัด 2",
	"does not end in .pdf: $ is the end":                   "ไม่ได้ลงท้ายด้วย .pdf: $ คือจุดสิ้นสุด",
	"ends in .pdf":                                         "ลงท้ายด้วย .pdf",
	"failed":                                               "ล้มเหลว",
	"its own group lets cybermapper in":                    "กลุ่มของตัวเองเปิดให้ cybermapper เข้า",
	"its robots.txt, line 2, asks for %s":                  "robots.txt ของเว็บไซต์ บรรทัด 2 ขอ %s",
	"leads into /hidden/, which is closed":                 "นำไปยัง /hidden/ ซึ่งปิดไว้",
	"leads to /new-home.html":                              "นำไปยัง /new-home.html",
	"leads to /round-b, which leads back: a loop, noticed": "นำไปยัง /round-b ซึ่งนำกลับมา: วนซ้ำ และถูกสังเกตพบ",
	"leads to a site that wants no robots":                 "นำไปยังเว็บไซต์ที่ไม่ต้องการโรบอต",
	"ledger/ with every request and refusal, report.json with the numbers. Ask it:": "" +
		"ledger/ มีทุกคำขอและทุกการปฏิเสธ report.json มีตัวเลข ลองถาม:",
	"may be visited, but says what for: no training, no mining; and a page that says whose copy it is": "" +
		"เข้าชมได้ แต่บอกว่าเพื่ออะไร: ห้ามใช้ฝึก ห้ามทำเหมืองข้อมูล และมีหน้าที่บอกว่าเป็นสำเนาของใคร",
	"named in a sitemap, but closed to robots":                  "มีชื่อในแผนผังเว็บไซต์ แต่ปิดไม่ให้โรบอตเข้า",
	"named in a sitemap, with the day it changed":               "มีชื่อในแผนผังเว็บไซต์ พร้อมวันที่เปลี่ยนแปลง",
	"named in the other":                                        "มีชื่อในอีกแผนผังหนึ่ง",
	"next request in %s":                                        "คำขอถัดไปใน %s",
	"no page links to it: it was submitted while the crawl ran": "ไม่มีหน้าใดลิงก์มา: มีผู้ส่งเข้ามาระหว่างเก็บข้อมูล",
	"no sort= in the query":                                     "ไม่มี sort= ในคิวรี",
	"noindex says nothing about links":                          "noindex ไม่ได้กล่าวถึงลิงก์",
	"not asked":                                                 "ไม่ขอ",
	"not asked for":                                             "ไม่ได้ขอ",
	"not stored, its links not followed (X-Robots-Tag: none)":   "ไม่เก็บ และไม่ตามลิงก์ (X-Robots-Tag: none)",
	"not stored: the page asks not to be (noindex)":             "ไม่เก็บ: หน้านี้ขอไว้ (noindex)",
	"nothing speaks against it":                                 "ไม่มีอะไรขัดข้อง",
	"of two rules of equal length Allow wins":                   "ในกฎสองข้อที่ยาวเท่ากัน Allow ชนะ",
	"only a nofollow page leads here":                           "มีแต่หน้า nofollow ที่นำมาที่นี่",
	"only a page marked none leads here":                        "มีแต่หน้าที่ระบุ none ที่นำมาที่นี่",
	"only the map below it is closed":                           "ปิดเฉพาะแผนที่ที่อยู่ข้างใต้",
	"open when it was found, closed before its turn: line 3 of the new file": "" +
		"เปิดอยู่ตอนที่พบ ปิดก่อนถึงคิว: บรรทัด 3 ของไฟล์ใหม่",
	"permission does not replace a bound: the map looks endless, so the rest is parked": "" +
		"การอนุญาตไม่ได้แทนขีดจำกัด: แผนที่ดูไม่มีที่สิ้นสุด ส่วนที่เหลือจึงพักไว้",
	"queued until the window of Visit-time opens; only robots.txt may be asked for now": "" +
		"อยู่ในคิวจนกว่าช่วง Visit-time จะเปิด ตอนนี้ขอได้เฉพาะ robots.txt",
	"redirects are links, and meet the same rules; a page that fails is tried again": "" +
		"การเปลี่ยนเส้นทางคือลิงก์และอยู่ใต้กฎเดียวกัน หน้าที่ล้มเหลวจะลองอีกครั้ง",
	"robots.txt line %d: %s": "robots.txt บรรทัด %d: %s",
	"rests":                  "พัก",
	"robots.txt names it; an index of sitemaps, read and not stored": "" +
		"robots.txt ระบุไว้ เป็นดัชนีแผนผังเว็บไซต์ อ่านแต่ไม่เก็บ",
	"robots.txt was the first thing asked for at %d of %d sites": "robots.txt เป็นสิ่งแรกที่ขอใน %d จาก %d เว็บไซต์",
	"says which parameters change nothing (Clean-param)":         "บอกว่าพารามิเตอร์ใดไม่เปลี่ยนอะไร (Clean-param)",
	"sitemaps name pages that nothing links to; they are no way around the rules": "" +
		"แผนผังเว็บไซต์ระบุหน้าที่ไม่มีลิงก์ถึง แต่ไม่ใช่ทางอ้อมกฎ",
	"still inside all bounds": "ยังอยู่ในทุกขีดจำกัด",
	"still open":              "ยังเปิดอยู่",
	"stored":                  "เก็บแล้ว",
	"stored, none of its links followed (META nofollow)": "เก็บแล้ว ไม่ตามลิงก์ใดเลย (META nofollow)",
	"stored: its X-Robots-Tag names another robot":       "เก็บแล้ว: X-Robots-Tag ระบุโรบอตอื่น",
	"submitted while the crawl runs%s":                   "ส่งเข้ามาระหว่างเก็บข้อมูล%s",
	"the configuration asks for %s":                      "การตั้งค่าขอ %s",
	"the end of a redirect":                              "ปลายทางของการเปลี่ยนเส้นทาง",
	"the first example of the 1994 standard: three places are closed to every robot": "" +
		"ตัวอย่างแรกของมาตรฐานปี 1994: สามแห่งปิดไม่ให้โรบอตใดเข้า",
	"the first of its kind, asked for as it was linked": "หน้าแรกของชนิดนี้ ขอตามที่ลิงก์ไว้",
	"the index names it":                                   "ดัชนีระบุไว้",
	"the longer Allow wins over the shorter Disallow":      "Allow ที่ยาวกว่าชนะ Disallow ที่สั้นกว่า",
	"the only link to it is marked rel=nofollow":           "ลิงก์เดียวที่ไปถึงถูกทำเครื่องหมาย rel=nofollow",
	"the rules come first; %s":                             "กฎมาก่อน; %s",
	"the same bytes as /original.html: noted, stored once": "ไบต์เดียวกับ /original.html: จดไว้ เก็บครั้งเดียว",
	"the same segment again and again: a trap":             "ส่วนเดิมซ้ำ ๆ: กับดัก",
	"the second example: cybermapper may go everywhere, even where the space is infinite": "" +
		"ตัวอย่างที่สอง: cybermapper ไปได้ทุกที่ แม้ในที่ที่ไม่มีที่สิ้นสุด",
	"the seed; it has no links":                                        "ที่อยู่เริ่มต้น ไม่มีลิงก์",
	"the shortest pause at %s was %s (before %s); %s":                  "ช่วงเว้นสั้นที่สุดที่ %s คือ %s (ก่อน %s); %s",
	"the third example: robots, go away":                               "ตัวอย่างที่สาม: โรบอตจงไปให้พ้น",
	"the whole site is closed to robots":                               "ทั้งเว็บไซต์ปิดไม่ให้โรบอตเข้า",
	"two more seconds later":                                           "อีกสองวินาทีถัดมา",
	"two seconds later":                                                "สองวินาทีถัดมา",
	"until robots.txt can be fetched, the whole site counts as closed": "จนกว่าจะดึง robots.txt ได้ ถือว่าทั้งเว็บไซต์ปิดอยู่",
	"welcomes visits at another time of the day (UTC): its pages stay queued until then": "" +
		"ยินดีให้เข้าชมในเวลาอื่นของวัน (UTC): หน้าต่าง ๆ จะอยู่ในคิวจนถึงตอนนั้น",
	"what a page may ask for itself: META ROBOTS, X-Robots-Tag, rel=nofollow": "" +
		"สิ่งที่หน้าเว็บขอให้ตัวเองได้: META ROBOTS, X-Robots-Tag, rel=nofollow",
	"what its pages may be used for (TDMRep); %s": "หน้าเว็บของที่นี่ใช้ทำอะไรได้ (TDMRep); %s",
	"what may be mined (TDMRep): asked for before the pages, for robots.tdmrep_file says so": "" +
		"สิ่งใดทำเหมืองข้อมูลได้ (TDMRep): ขอก่อนหน้าเว็บ เพราะ robots.tdmrep_file สั่งไว้",
}
