/* Keeps the page up to date, and sends its buttons and sliders. */
const byId = (id) => document.getElementById(id);
const wait = (millis) => new Promise((done) => setTimeout(done, millis));
const parse = (html) => new DOMParser().parseFromString(html, 'text/html');

/* Returns the answer. Shows a message if there is none. */
async function request(path, method = 'GET') {
	try {
		const response = await fetch(path, { method, headers: { 'X-Requested-With': 'room' } });
		const text = await response.text();
		if (response.ok) {
			return text;
		}
		showProblem(text);
	}
	catch {
		showProblem('The control room did not answer. Try again.');
	}
	return null;
}

let problemEnd;

function showProblem(text) {
	show(byId('problem'), text);
	clearTimeout(problemEnd);
	problemEnd = setTimeout(() => show(byId('problem'), ''), 10000);
}

/* Screen readers read an alert aloud when it changes, so it stays the same if its text does. */
function show(alert, text) {
	if (alert.textContent !== text) {
		alert.innerHTML = text && '<p class="banner warn"></p>';
		(alert.firstChild ?? alert).textContent = text;
	}
}

/* Makes an element equal to a newer one. What has not changed remains the same: it keeps the focus. */
function update(old, fresh) {
	if (old.hasAttribute('data-keep') || old.isEqualNode(fresh)) {
		return;
	}
	old.getAttributeNames().filter((name) => !fresh.hasAttribute(name)).forEach((name) => old.removeAttribute(name));
	[...fresh.attributes].forEach(({ name, value }) => old.setAttribute(name, value));
	const children = [...fresh.children];
	if (!children.length) {
		old.textContent = fresh.textContent;
		return;
	}
	const ids = new Set(children.map((child) => child.id));
	[...old.children].filter((child) => !ids.has(child.id)).forEach((child) => child.remove());
	children.forEach((child, i) => {
		const place = old.children[i];
		if (place?.id === child.id && place.tagName === child.tagName) {
			update(place, child);
		}
		else {
			old.insertBefore(child, place ?? null);
		}
	});
	[...old.children].slice(children.length).forEach((child) => child.remove());
}

/* A hidden page does not need updates. */
async function poll() {
	if (!document.hidden) {
		try {
			const response = await fetch('/', { signal: AbortSignal.timeout(5000) });
			if (response.ok) {
				showPage(parse(await response.text()));
			}
			showOffline(!response.ok);
		}
		catch {
			showOffline(true);
		}
	}
	setTimeout(poll, 200);
}

function showOffline(away) {
	document.documentElement.dataset.live = String(!away);
	show(byId('offline'), away ? 'The control room is offline. The page shows the last known state and reconnects automatically.' : '');
}

function showPage(page) {
	update(document.body, page.body);
	followSetpoint();
}

document.addEventListener('click', ({ target }) => {
	if (target.dataset.post) {
		request(target.dataset.post, 'POST');
	}
});

/* Setpoint: follows the store, except while this page moves it. */

const setpoint = byId('setpoint');
let sending = false;
let moved = -Infinity;

setpoint.addEventListener('input', async () => {
	moved = performance.now();
	if (!sending) {
		sending = true;
		for (let sent = null; sent !== setpoint.value; await wait(100)) {
			sent = setpoint.value;
			await request(`/setpoint?degrees=${sent}`, 'POST');
		}
		sending = false;
		moved = performance.now();
	}
});

function followSetpoint() {
	const degrees = Number(byId('setpoint-value').textContent);
	if (degrees && !sending && !setpoint.matches(':active') && performance.now() - moved > 1000) {
		setpoint.value = degrees;
	}
}

poll();
