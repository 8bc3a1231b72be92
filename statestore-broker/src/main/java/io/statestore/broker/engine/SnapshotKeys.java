package io.statestore.broker.engine;

import java.io.InputStream;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.engine.SnapshotReader.StoredKey;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of a {@link StateSnapshot} one by one, without building a
 * {@link StateMachine} in memory. Not thread-safe.
 */
public final class SnapshotKeys {

	private final SnapshotReader reader;

	/**
	 * Begins to read a snapshot.
	 * @param snapshot the snapshot's slices; not closed by this object
	 * @throws io.statestore.broker.codec.StateFormatException if the snapshot has a newer
	 * format, or is malformed
	 */
	public SnapshotKeys(InputStream snapshot) {
		this.reader = new SnapshotReader(new Decoder(snapshot, "snapshot"));
	}

	/**
	 * Returns the version of the last change that the snapshot contains.
	 * @return the version, {@link StateMachine#BEFORE_ALL} if nothing had changed
	 */
	public Version lastChange() {
		return this.reader.lastChange();
	}

	/**
	 * Returns the next key.
	 * @return the key, {@code null} after the last key
	 * @throws java.io.UncheckedIOException if the snapshot cannot be read
	 */
	public @Nullable Key next() {
		StoredKey key = this.reader.nextKey();
		return (key != null) ? new Key(Bytes.wrap(key.key()), Bytes.wrap(key.value()), key.version()) : null;
	}

	/**
	 * A key in a snapshot.
	 *
	 * @param key the name of the key
	 * @param value the key's value
	 * @param version the version of the last change
	 */
	public record Key(Bytes key, Bytes value, Version version) {
	}

}
