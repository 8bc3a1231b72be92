package io.statestore.client.cache;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.SetResult;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.DeleteResult;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/** Near cache for tests of other packages. */
public final class NearCacheProbe {

	public static final int MAX_STARTING = NearCache.MAX_STARTING;

	private final NearCache near;

	public NearCacheProbe(StateStoreTemplate template, int size) {
		this.near = new NearCache("test", CacheOptions.DEFAULT.withNearCacheSize(size), template,
				(key, value) -> value);
	}

	public int size() {
		return this.near.size();
	}

	public @Nullable Bytes read(Key key) {
		return (Bytes) this.near.read(key);
	}

	public void found(Entry<Bytes> entry) {
		this.near.admit(entry.key(), entry.version());
	}

	public void written(Key key, @Nullable SetResult result) {
		if (result != null) {
			this.near.written(key, result.version(), this.near.deadline());
		}
		else {
			this.near.remove(key);
		}
	}

	public void deleted(Key key, @Nullable DeleteResult result) {
		if (result != null && result.version() != null) {
			this.near.written(key, result.version(), null);
		}
		else {
			this.near.remove(key);
		}
	}

}
