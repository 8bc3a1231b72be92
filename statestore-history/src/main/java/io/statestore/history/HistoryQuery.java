package io.statestore.history;

import io.statestore.dafka.Options;
import io.statestore.dafka.Position;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Selection of changes. Start with {@link #all()}; each further method restricts the
 * selection. Immutable.
 *
 * @param key key of the changes, or {@code null} for all keys. Always includes changes
 * without a key, which affect every key
 * @param from version of the first change, or {@code null} for any. Earlier changes are
 * read, but not returned
 * @param position position of the first change, or {@code null} for the beginning.
 * Earlier changes are not read
 */
public record HistoryQuery(@Nullable Bytes key, @Nullable Version from, @Nullable Position position) {

	public HistoryQuery {
		Options.require(key == null || !key.isEmpty(), "key", "empty", "the key whose changes to read");
		Options.require(position == null || position.offset() >= 0, "position", String.valueOf(position),
				"the position of a change");
	}

	/**
	 * Returns a query for all changes.
	 * @return the query
	 */
	public static HistoryQuery all() {
		return new HistoryQuery(null, null, null);
	}

	/**
	 * Restricts this query to the changes of a key, and those without a key, such as
	 * starts of the broker.
	 * @param key the key, not empty
	 * @return a new query
	 */
	public HistoryQuery key(Bytes key) {
		return new HistoryQuery(key, this.from, this.position);
	}

	/**
	 * Restricts this query to changes with a minimum version.
	 * @param version the version of the first change
	 * @return a new query
	 */
	public HistoryQuery from(Version version) {
		return new HistoryQuery(this.key, version, this.position);
	}

	/**
	 * Restricts this query to the changes after a position. If the next change is
	 * unavailable, {@link HistoryStream#next} throws an exception.
	 * @param position position of a change, for example the latest one that was read
	 * @return a new query
	 */
	public HistoryQuery after(Position position) {
		return new HistoryQuery(this.key, this.from,
				new Position(position.topic(), position.partition(), position.offset() + 1));
	}

	boolean matches(HistoryChange change) {
		return (this.from == null || change.version().compareTo(this.from) >= 0)
				&& (this.key == null || change.key().isEmpty() || change.key().equals(this.key));
	}

}
