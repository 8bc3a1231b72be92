package io.statestore.client.lock;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.Key;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Versions of the keys last written in a tenure, which carry its token. Safe for use by
 * several threads.
 */
final class WrittenVersions {

	/** Number of keys above which all are removed, which costs one claim each. */
	private static final int MAX_KEYS = 10_000;

	private final Map<Key, Version> versions = new ConcurrentHashMap<>();

	void add(Key key, Version version) {
		if (this.versions.size() >= MAX_KEYS) {
			this.versions.clear();
		}
		this.versions.put(key, version);
	}

	/** Returns whether the key was last written in this tenure. */
	boolean isLatest(Key key, @Nullable Version version) {
		return version != null && version.equals(this.versions.get(key));
	}

}
