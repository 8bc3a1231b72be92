package io.statestore.client.lock;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.Key;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Versions of the keys that were written in a tenure. These keys have its token. Safe for
 * use by several threads.
 */
final class WrittenVersions {

	/** Maximum number of keys. Beyond it all are removed, and must be claimed again. */
	private static final int MAX_KEYS = 10_000;

	private final Map<Key, Version> versions = new ConcurrentHashMap<>();

	/** Records the version of a key after a write. */
	void add(Key key, Version version) {
		if (this.versions.size() >= MAX_KEYS) {
			this.versions.clear();
		}
		this.versions.put(key, version);
	}

	/** Returns whether a key with this version was last written in the tenure. */
	boolean isLatest(Key key, @Nullable Version version) {
		return version != null && version.equals(this.versions.get(key));
	}

}
