package io.statestore.cluster.transport;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.alipay.sofa.jraft.util.Endpoint;
import org.jspecify.annotations.Nullable;

/** Directories in memory. */
record KnownDirectories(String foundersDigest, String own, Map<Endpoint, String> known) implements Directories {

	KnownDirectories(String foundersDigest, String own) {
		this(foundersDigest, own, new ConcurrentHashMap<>());
	}

	@Override
	public @Nullable String of(Endpoint node) {
		return this.known.get(node);
	}

	@Override
	public boolean mayTakePart() {
		return !this.known.containsValue("");
	}

	@Override
	public void record(Endpoint node, String directory) {
		this.known.put(node, directory);
	}

}
