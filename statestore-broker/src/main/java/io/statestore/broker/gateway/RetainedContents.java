package io.statestore.broker.gateway;

import java.util.Map;
import java.util.TreeMap;

import io.statestore.broker.server.ClientLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the status and the pages of watches from a broker's retained messages. Other
 * clients may write to the gateway's topics. Messages that no gateway would write and
 * pages that exceed the memory for clients are ignored with a warning. Used only on the
 * event loop.
 */
final class RetainedContents {

	private static final Logger logger = LoggerFactory.getLogger(RetainedContents.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/**
	 * Maximum size of a page, in bytes. A page with a single watch, whose client id and
	 * key have the maximum length, is smaller.
	 */
	private static final int MAX_PAYLOAD = 192 * 1024;

	/** Minimum memory that a gateway needs per watch, in bytes. */
	private static final long BYTES_PER_OBSERVATION = 480;

	private final Map<Integer, WatcherPage> pages = new TreeMap<>();

	private final long maxBytes;

	private GatewayStatus.Contents status = GatewayStatus.Contents.NONE;

	/** Total size of the pages received. */
	private long bytes;

	private long watches;

	/**
	 * Creates empty contents.
	 * @param maxBytes memory for all clients, in bytes
	 */
	RetainedContents(long maxBytes) {
		this.maxBytes = maxBytes;
	}

	GatewayStatus.Contents status() {
		return this.status;
	}

	Map<Integer, WatcherPage> pages() {
		return this.pages;
	}

	/**
	 * Adds a retained message.
	 * @param topic topic of the message
	 * @param payload payload of the message
	 */
	void add(String topic, byte[] payload) {
		if (payload.length > MAX_PAYLOAD) {
			clientLog.warn("Ignored a retained message of {} bytes on '{}': gateways do not write messages of this "
					+ "size. Restrict write access to the gateway's topics", payload.length, topic);
			return;
		}
		int number = GatewayTopics.pageNumber(topic);
		if (topic.equals(GatewayTopics.STATUS)) {
			addStatus(payload);
		}
		else if (number < 0) {
			clientLog.warn("Ignored a retained message on '{}', which is not one of the gateway's topics. Restrict "
					+ "write access to them", topic);
		}
		else if (!isFull()) {
			addPage(number, payload);
		}
	}

	private void addStatus(byte[] payload) {
		GatewayStatus.Contents read = GatewayStatus.Contents.decode(payload);
		if (read != null) {
			this.status = read;
		}
		else {
			clientLog.warn(
					"Ignored a malformed retained message on '{}'. Restrict write access to the gateway's topics",
					GatewayTopics.STATUS);
		}
	}

	private void addPage(int number, byte[] payload) {
		WatcherPage page = WatcherPage.decode(payload);
		if (page.malformed() > 0) {
			clientLog.warn("Ignored {} malformed watches in a retained message on '{}'. Restrict write access to the "
					+ "gateway's topics", page.malformed(), GatewayTopics.page(number));
		}
		this.bytes += payload.length;
		this.watches += page.watches().size();
		if (!isFull()) {
			this.pages.put(number, page);
			return;
		}
		logger.warn("Ignored some of the retained watches, because they exceed the memory of all clients, {} bytes. "
				+ "Raise --client-memory to resume all watches", this.maxBytes);
	}

	private boolean isFull() {
		return Math.max(this.bytes, this.watches * BYTES_PER_OBSERVATION) > this.maxBytes;
	}

}
