package io.statestore.history;

import io.statestore.dafka.Options;
import io.statestore.dafka.Position;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Which changes to read. Begin with {@link #all()}; what is added narrows it.
 *
 * @param key only those of this key, and starts, which concern every key; {@code null}
 * for all; not empty
 * @param from only from this version on; what is before it is read and left out
 * @param position only from this place on; nothing before it is read
 */
public record HistoryQuery(@Nullable Bytes key, @Nullable Version from, @Nullable Position position) {

	public HistoryQuery {
		Options.require(key == null || !key.isEmpty(), "key", "empty", "the key whose changes to read");
		Options.require(position == null || position.offset() >= 0, "position", String.valueOf(position),
				"the position of a change");
	}

	/** Everything, from the first change there is. */
	public static HistoryQuery all() {
		return new HistoryQuery(null, null, null);
	}

	/** Only changes of a key, and starts. */
	public HistoryQuery key(Bytes key) {
		return new HistoryQuery(key, this.from, this.position);
	}

	/** Only changes with this version or a later one. */
	public HistoryQuery from(Version version) {
		return new HistoryQuery(this.key, version, this.position);
	}

	/**
	 * Only what follows a change that was read before. If the next one is gone, the
	 * stream says so.
	 */
	public HistoryQuery after(Position position) {
		return new HistoryQuery(this.key, this.from,
				new Position(position.topic(), position.partition(), position.offset() + 1));
	}

	boolean matches(HistoryChange change) {
		return (this.from == null || change.version().compareTo(this.from) >= 0) && (this.key == null
				|| change.operation() == HistoryChange.Operation.START || change.key().equals(this.key));
	}

}
