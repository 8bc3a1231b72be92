package io.statestore.history;

import java.nio.ByteBuffer;

import io.statestore.history.HistoryChange.Operation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latest complete content in a journal, which is a start or the content of the store.
 * Retention eventually removes it, so the store must provide it again before that. Used
 * by the thread that writes.
 */
final class LatestContent {

	private static final Logger logger = LoggerFactory.getLogger(LatestContent.class);

	private final JournalOptions options;

	/** Time of its first record, in milliseconds. */
	private long time;

	/** Whether the journal has complete content. */
	private boolean present;

	/** Size of the records behind it. */
	private long bytesBehind;

	/** Time of the first record of content that is being written, -1 for none. */
	private long begun = -1;

	/** Size of the records since then. */
	private long bytesBegun;

	LatestContent(JournalOptions options) {
		this.options = options;
	}

	/** Receives a record that the journal had when it was opened. */
	void read(byte[] content) {
		if (content.length >= 2 + Long.BYTES && content[1] >= 0 && content[1] < Operation.values().length) {
			add(Operation.values()[content[1]], content.length, ByteBuffer.wrap(content).getLong(2));
		}
	}

	/** Ends the records that the journal had. Interrupted content is not continued. */
	void opened() {
		this.begun = -1;
	}

	/** Receives a record that was written now. */
	void written(Operation operation, int length) {
		add(operation, length, this.options.time().millis());
		if (operation == Operation.COMPLETE && this.bytesBegun > this.options.retentionBytes() / 4) {
			logger.warn("The content of the store has {} MiB in the history, which is more than a quarter of the "
					+ "retention size. A rebuild fails while no complete content remains. Increase "
					+ "'retentionBytes' (statestore.history.retention-size)", this.bytesBegun >> 20);
		}
	}

	private void add(Operation operation, int length, long time) {
		this.bytesBehind += length;
		this.bytesBegun += length;
		switch (operation) {
			case START -> complete(time);
			case GAP, CONTENT -> {
				this.present &= operation == Operation.CONTENT;
				this.begun = time;
				this.bytesBegun = 0;
			}
			case COMPLETE -> {
				if (this.begun >= 0) {
					complete(this.begun);
				}
			}
			default -> {
			}
		}
	}

	private void complete(long time) {
		this.time = time;
		this.present = true;
		this.bytesBehind = 0;
		this.begun = -1;
	}

	/**
	 * Returns whether the content must be written again, and is not being written. This
	 * is the case after half of the time or size that retention keeps, so that the new
	 * content is complete before retention removes the latest one.
	 */
	boolean isDue() {
		if (!this.options.retains() || this.begun >= 0) {
			return false;
		}
		return !this.present || this.bytesBehind > Math.max(this.options.retentionBytes(), Journal.ALWAYS_KEPT) / 2
				|| this.options.time().millis() - this.time > this.options.retentionTime().toMillis() / 2;
	}

}
