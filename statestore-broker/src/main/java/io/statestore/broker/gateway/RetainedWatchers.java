package io.statestore.broker.gateway;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntConsumer;

import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.ReasonCodes;
import io.statestore.protocol.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All clients' watches, stored on the broker as retained messages so that they survive a
 * gateway restart. Each message is a page with several watches. While a page is being
 * written, more changes are collected and then written together. Used only on the event
 * loop.
 */
final class RetainedWatchers {

	/** Length at which a page is full, in bytes. */
	static final int PAGE_LENGTH = 4_096;

	/**
	 * Maximum number of pages written simultaneously. Pages precede messages to clients,
	 * which must not wait for thousands of pages.
	 */
	static final int WRITES_AT_ONCE = 8;

	private static final Logger logger = LoggerFactory.getLogger(RetainedWatchers.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/** Each watch's page, by client id and key. */
	private final Map<String, Map<Bytes, Page>> clients = new HashMap<>();

	private final TreeMap<Integer, Page> pages = new TreeMap<>();

	/** Pages waiting to be written. */
	private final Set<Page> dirty = new LinkedHashSet<>();

	private final Writer writer;

	private boolean connected = true;

	/**
	 * Number of connections that have ended. Acknowledgments from earlier connections are
	 * ignored.
	 */
	private int generation;

	private int writes;

	/** Page to which watches are added until it is full. */
	private Page open;

	/** Whether the broker retains pages. If not, pages are not written. */
	private boolean retaining = true;

	RetainedWatchers(Writer writer) {
		this.writer = writer;
		this.open = newPage();
	}

	/**
	 * Permanently stops writing pages. Called if the broker does not retain the gateway's
	 * messages.
	 */
	void stopRetaining() {
		this.retaining = false;
	}

	/** Loads the watches that an earlier gateway has retained. */
	void load(Map<Integer, WatcherPage> retained) {
		this.pages.clear();
		retained.forEach((number, contents) -> {
			Page page = new Page(number);
			this.pages.put(number, page);
			boolean changed = contents.malformed() > 0;
			for (Watch watch : contents.watches()) {
				changed |= !put(page, watch);
			}
			if (changed || page.watches.isEmpty()) {
				write(page);
			}
		});
		this.open = newPage();
	}

	/**
	 * Adds a watch.
	 * @param retained called once the broker has retained or refused the watch
	 */
	void add(String clientId, Bytes key, Runnable retained) {
		if (keys(clientId).containsKey(key)) {
			retained.run();
			return;
		}
		Watch watch = new Watch(clientId, key.compact());
		Page page = pageFor(watch);
		put(page, watch);
		page.waiting.add(retained);
		write(page);
	}

	/** Returns the page for a watch. A watch larger than a page gets its own page. */
	private Page pageFor(Watch watch) {
		if (WatcherPage.length(watch) >= PAGE_LENGTH) {
			return this.pages.values()
				.stream()
				.filter((page) -> page.watches.isEmpty() && page != this.open)
				.findFirst()
				.orElseGet(this::newPage);
		}
		if (this.open.length >= PAGE_LENGTH) {
			this.open = pageWithRoom();
		}
		return this.open;
	}

	/** Removes a watch. */
	void remove(String clientId, Bytes key) {
		Map<Bytes, Page> keys = this.clients.get(clientId);
		Page page = (keys != null) ? keys.remove(key) : null;
		if (keys != null && keys.isEmpty()) {
			this.clients.remove(clientId);
		}
		if (page != null) {
			drop(page, new Watch(clientId, key));
		}
	}

	/** Removes all watches of a client. */
	void removeAll(String clientId) {
		Map<Bytes, Page> keys = this.clients.remove(clientId);
		if (keys != null) {
			keys.forEach((key, page) -> drop(page, new Watch(clientId, key)));
		}
	}

	/** Returns whether a client has any watches. */
	boolean watches(String clientId) {
		return this.clients.containsKey(clientId);
	}

	/** Suspends writing until the next connection. Writes in flight are repeated then. */
	void disconnected() {
		this.connected = false;
		this.generation++;
		this.writes = 0;
		for (Page page : this.pages.values()) {
			page.inFlight = false;
			page.waiting.addAll(0, page.writing);
			page.writing.clear();
		}
	}

	/**
	 * Writes all pages again, because the broker may have restored earlier contents. This
	 * includes pages that are now empty. Pages with waiting watches come first.
	 */
	void reconnected() {
		this.connected = true;
		this.pages.values().stream().filter((page) -> !page.waiting.isEmpty()).forEach(this.dirty::add);
		this.dirty.addAll(this.pages.values());
		writeNext();
	}

	private Map<Bytes, Page> keys(String clientId) {
		return this.clients.getOrDefault(clientId, Map.of());
	}

	/** Adds a watch and returns whether it is new. */
	private boolean put(Page page, Watch watch) {
		Map<Bytes, Page> keys = this.clients.computeIfAbsent(watch.clientId(), (clientId) -> new HashMap<>());
		if (keys.putIfAbsent(watch.key(), page) != null) {
			return false;
		}
		page.watches.add(watch);
		page.length += WatcherPage.length(watch);
		return true;
	}

	private void drop(Page page, Watch watch) {
		page.watches.remove(watch);
		page.length -= WatcherPage.length(watch);
		write(page);
	}

	private Page pageWithRoom() {
		for (Page page : this.pages.values()) {
			if (page.length < PAGE_LENGTH / 2) {
				return page;
			}
		}
		return newPage();
	}

	private Page newPage() {
		int number = 0;
		while (this.pages.containsKey(number)) {
			number++;
		}
		Page page = new Page(number);
		this.pages.put(number, page);
		return page;
	}

	private void write(Page page) {
		if (!this.retaining) {
			release(page.waiting);
			return;
		}
		this.dirty.add(page);
		writeNext();
	}

	private void writeNext() {
		while (this.connected && this.retaining && this.writes < WRITES_AT_ONCE) {
			Page page = this.dirty.stream().filter((waiting) -> !waiting.inFlight).findFirst().orElse(null);
			if (page == null) {
				return;
			}
			this.dirty.remove(page);
			page.inFlight = true;
			page.writing.addAll(page.waiting);
			page.waiting.clear();
			this.writes++;
			int generation = this.generation;
			this.writer.write(page.number, WatcherPage.encode(page.watches),
					(reason) -> written(page, generation, reason));
		}
	}

	private void written(Page page, int generation, int reason) {
		if (generation != this.generation) {
			return;
		}
		page.inFlight = false;
		this.writes--;
		if (ReasonCodes.isFailure(reason)) {
			clientLog.warn(
					"The broker refused to retain watches (reason 0x{}): they will not survive a restart of the "
							+ "gateway. Allow the gateway to publish retained messages on '{}'",
					Integer.toHexString(reason), GatewayTopics.page(page.number));
		}
		release(page.writing);
		writeNext();
	}

	private static void release(List<Runnable> waiting) {
		List<Runnable> released = List.copyOf(waiting);
		waiting.clear();
		for (Runnable runnable : released) {
			try {
				runnable.run();
			}
			catch (RuntimeException ex) {
				logger.error("Failed to confirm a retained watch; its client may not receive a reply. This is a bug: "
						+ "report it with this stack trace", ex);
			}
		}
	}

	/** Writes retained messages. */
	interface Writer {

		/**
		 * Writes a page.
		 * @param number number of the page
		 * @param payload the watches, empty if there are none
		 * @param acknowledged called with the PUBACK's reason code
		 */
		void write(int number, byte[] payload, IntConsumer acknowledged);

	}

	private static final class Page {

		private final int number;

		private final Set<Watch> watches = new LinkedHashSet<>();

		/** Callbacks to run once the latest changes are retained. */
		private final List<Runnable> waiting = new ArrayList<>();

		/** Callbacks to run once the write in flight is acknowledged. */
		private final List<Runnable> writing = new ArrayList<>();

		/** Length of the payload in bytes, without its first line. */
		private int length;

		private boolean inFlight;

		private Page(int number) {
			this.number = number;
		}

	}

}
