/* Reads the store on demand. Shows every text with textContent, because keys and values can contain anything. */
const byId = (id) => document.getElementById(id);
const time = (millis) => new Date(millis).toLocaleString();
const seconds = (millis) => `${(millis / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;

const RETRY = 2000;

/* Returns the answer of the application. Throws an error whose message says what to do. */
async function get(path, parameters = {}) {
	let response;
	try {
		response = await fetch(`api/${path}?${new URLSearchParams(parameters)}`);
	}
	catch {
		throw Object.assign(new Error('The application does not answer.'), { temporary: true });
	}
	if (response.ok && response.headers.get('Content-Type')?.includes('json')) {
		return response.json();
	}
	const message = response.ok ? 'You are no longer signed in. Reload the page.' : await response.text();
	throw Object.assign(new Error(message), { temporary: response.status >= 502 });
}

function element(name, text, className = '') {
	const created = document.createElement(name);
	created.textContent = text;
	created.className = className;
	return created;
}

function item(...parts) {
	const created = document.createElement('li');
	created.append(...parts);
	return created;
}

/* Screen readers read an alert aloud when it changes. */
function show(alert, text) {
	if (alert.textContent !== text) {
		alert.textContent = text;
	}
}

/* Reads, then shows the answer or why there is none, and repeats while the store is unavailable. A later read of its kind replaces it. */
const latest = new Map();

async function attempt(kind, read, shown, alert = byId('problem')) {
	latest.set(kind, read);
	const isLatest = () => latest.get(kind) === read;
	try {
		const answer = await read();
		if (isLatest()) {
			show(alert, '');
			shown(answer);
		}
	}
	catch (failure) {
		if (isLatest()) {
			show(alert, failure.message + (failure.temporary ? ' The page tries again.' : ''));
			if (failure.temporary) {
				setTimeout(() => isLatest() && attempt(kind, read, shown, alert), RETRY);
			}
		}
	}
}

/* Keys */

const keys = byId('keys');
let next = null;

/* Reads the first page, or the page at a position. */
function search(from) {
	const parameters = { search: byId('pattern').value, ...(from && { from }) };
	attempt('keys', () => get('keys', parameters), (page) => {
		if (from) {
			(addPage(page) ?? byId('more')).focus();
		}
		else {
			keys.replaceChildren();
			addPage(page);
		}
	});
}

/* Returns the first new row. A key that was deleted during the search can be found twice. */
function addPage(page) {
	const known = new Set([...keys.children].map((row) => row.firstChild.dataset.id));
	const rows = page.keys.filter((key) => !known.has(key.id)).map(row);
	keys.append(...rows.map((button) => item(button)));
	next = page.next;
	byId('more').hidden = !next;
	const found = keys.childElementCount;
	byId('count').textContent = found ? `${found.toLocaleString()} ${found === 1 ? 'key' : 'keys'}${next ? ', and more' : ''}`
		: next ? 'No key found yet.' : 'No key that you may read matches.';
	return rows[0];
}

function row(key) {
	const button = document.createElement('button');
	button.type = 'button';
	button.dataset.id = key.id;
	button.append(element('b', key.name), element('span', key.value, 'value'), element('time', time(key.time)));
	button.addEventListener('click', () => open(key));
	return button;
}

byId('search').addEventListener('submit', (event) => {
	event.preventDefault();
	search();
});
byId('more').addEventListener('click', () => search(next));

/* One key */

const dialog = byId('entry');

function open(key) {
	byId('entry-name').textContent = key.name;
	byId('facts').replaceChildren();
	byId('history').replaceChildren();
	show(byId('value'), '');
	show(byId('entry-problem'), '');
	show(byId('history-note'), 'Reading the history…');
	dialog.showModal();
	byId('entry-name').focus();
	attempt('key', () => get('key', { id: key.id }), showEntry, byId('entry-problem'));
	attempt('history', () => get('history', { id: key.id }), showHistory, byId('history-note'));
}

function showEntry({ value, version, time: changed, timeToLive }) {
	const left = timeToLive === null ? 'unknown to this server' : timeToLive < 0 ? 'does not expire' : seconds(timeToLive);
	const facts = { 'Time to live': left, Changed: time(changed), Version: version,
		Size: `${value.size.toLocaleString()} bytes, shown as ${value.format}${value.complete ? '' : ', only the beginning'}` };
	byId('facts').replaceChildren(...Object.entries(facts).flatMap(([name, fact]) => [element('dt', name), element('dd', fact)]));
	byId('value').textContent = value.text;
}

function showHistory({ changes, complete }) {
	show(byId('history-note'), !complete ? `The history is long. ${changes.length ? 'Older' : 'Its'} changes are not shown.`
		: changes.length ? '' : 'The history contains no change of this key.');
	byId('history').replaceChildren(...changes.map((change) => item(element('time', time(change.time)),
		element('b', change.operation), element('span', change.author ?? '', 'note'), element('span', change.value, 'value'))));
}

/* Locks and servers are read when their section is opened. */

function section(id, rows) {
	const details = byId(id);
	details.addEventListener('toggle', () => details.open && attempt(id, () => get(id),
		(answer) => details.querySelector('ul').replaceChildren(...rows(answer))));
}

section('locks', (locks) => locks.length ? locks.map((lock) => item(element('b', lock.name),
	element('span', `${lock.leader ? 'led' : 'held'} by ${lock.holder}`),
	element('span', [lock.remaining === null ? '' : `${seconds(lock.remaining)} left`, lock.token ? `token ${lock.token}` : '',
		lock.waiters > 0 ? `${lock.waiters} waiting` : ''].filter(Boolean).join(', '), 'note')))
	: [item('No lock that you may read is held.')]);

section('clients', (clients) => clients.map((client) => item(element('b', client.client),
	element('span', client.principal ?? 'anonymous'),
	element('span', `${client.address ?? ''} for ${seconds(client.connected)}`, 'note'))));

section('servers', ({ broker, nodes, problem }) => [item(element('b', broker), element('span', problem ?? '', 'note')),
	...nodes.map((node) => item(element('b', node.name), element('span', `${node.role} in term ${node.term}`),
		element('span', node.failure ?? '', 'note')))]);

/* Keyboard */

document.addEventListener('keydown', (event) => {
	if (dialog.open || event.ctrlKey || event.metaKey || event.altKey) {
		return;
	}
	if (event.key === '/' && event.target !== byId('pattern')) {
		event.preventDefault();
		byId('pattern').select();
	}
	const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	const rows = [...keys.querySelectorAll('button')];
	if (step && rows.length && (event.target === byId('pattern') || rows.includes(event.target))) {
		event.preventDefault();
		(rows[rows.indexOf(event.target) + step] ?? byId('pattern')).focus();
	}
});

search();
