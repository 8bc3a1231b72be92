package io.statestore.history;

import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.protocol.Administration;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Changes to publish together, and the version after which the history continues behind
 * them. Within the content of the store, that is the version before the content, because
 * it can only be read from its beginning. Not thread-safe.
 */
final class ChangeBatch {

	private static final int MAX_RECORDS = 1_000;

	private static final int MAX_BYTES = 256 << 10;

	private List<Bytes> records = new ArrayList<>();

	private int bytes;

	private @Nullable Version position;

	/** Greatest version in content whose end is not known yet, {@code null} for none. */
	private @Nullable Version content;

	/**
	 * Creates an empty batch.
	 * @param position the version after which the first change follows
	 */
	ChangeBatch(@Nullable Version position) {
		this.position = position;
	}

	void add(StoredChange change) {
		if (change.operation() == Operation.GAP || change.operation() == Operation.PRESENT) {
			this.content = greater(this.content, change.version());
		}
		else {
			this.content = null;
			this.position = change.version();
		}
		byte[] record = Administration.encodeItem(change);
		this.records.add(Bytes.wrap(record));
		this.bytes += record.length;
	}

	/**
	 * Adds a gap before content that is published again, because keys may have been
	 * deleted in the meantime.
	 * @param first the first change of the history
	 */
	void addGapBefore(StoredChange first) {
		if (first.operation() != Operation.GAP) {
			add(new StoredChange(Operation.GAP, io.statestore.protocol.Bytes.EMPTY, io.statestore.protocol.Bytes.EMPTY,
					first.version(), null, null));
		}
	}

	/** Notes that the history has no further changes. */
	void end() {
		if (this.content != null) {
			this.position = greater(this.position, this.content);
			this.content = null;
		}
	}

	private static Version greater(@Nullable Version one, Version other) {
		return (one != null && one.compareTo(other) > 0) ? one : other;
	}

	boolean isFull() {
		return this.records.size() >= MAX_RECORDS || this.bytes >= MAX_BYTES;
	}

	/** Returns the version after which the history continues. */
	@Nullable Version position() {
		return this.position;
	}

	/** Removes and returns the records. */
	List<Bytes> take() {
		List<Bytes> taken = this.records;
		this.records = new ArrayList<>();
		this.bytes = 0;
		return taken;
	}

}
