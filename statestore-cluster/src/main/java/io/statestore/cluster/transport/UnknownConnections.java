package io.statestore.cluster.transport;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose peer has not proven its identity yet, by address. If there are too
 * many, a new connection replaces another connection, either from the same address or
 * from the address with the most connections. Strangers' connections do not replace
 * connections from addresses at which a peer has proven its identity. Thread-safe.
 */
final class UnknownConnections {

	/**
	 * Maximum number of connections for each address. A node opens fewer client streams
	 * simultaneously.
	 */
	static final int MAX_PER_ADDRESS = 64;

	/** Maximum number of connections for all strangers' addresses together. */
	static final int MAX_OF_STRANGERS = 128;

	/**
	 * Maximum number of peers' addresses, more than a cluster has nodes.
	 */
	private static final int MAX_PEERS = 64;

	private final Map<String, Set<Channel>> byAddress = new HashMap<>();

	/** Peers' addresses, in the order in which they were first seen. */
	private final Map<String, Boolean> peers = new LinkedHashMap<>();

	private int strangers;

	/**
	 * Adds a connection.
	 * @param address address of the other side
	 * @return a connection that the caller must close, {@code null} for none
	 */
	synchronized @Nullable Channel add(Channel channel, String address) {
		Set<Channel> same = this.byAddress.computeIfAbsent(address, (added) -> new LinkedHashSet<>());
		same.add(channel);
		boolean stranger = !this.peers.containsKey(address);
		if (stranger) {
			this.strangers++;
		}
		if (same.size() > MAX_PER_ADDRESS) {
			return removeOldest(address, same);
		}
		return (stranger && this.strangers > MAX_OF_STRANGERS) ? removeOfLargest() : null;
	}

	private @Nullable Channel removeOfLargest() {
		return this.byAddress.entrySet()
			.stream()
			.filter((entry) -> !this.peers.containsKey(entry.getKey()))
			.max(Comparator.comparingInt((entry) -> entry.getValue().size()))
			.map((entry) -> removeOldest(entry.getKey(), entry.getValue()))
			.orElse(null);
	}

	private Channel removeOldest(String address, Set<Channel> channels) {
		Channel oldest = channels.iterator().next();
		remove(oldest, address);
		return oldest;
	}

	/**
	 * Removes a connection.
	 * @return whether it was present, so its peer was unknown
	 */
	synchronized boolean remove(Channel channel, String address) {
		Set<Channel> same = this.byAddress.get(address);
		if (same == null || !same.remove(channel)) {
			return false;
		}
		if (same.isEmpty()) {
			this.byAddress.remove(address);
		}
		if (!this.peers.containsKey(address)) {
			this.strangers--;
		}
		return true;
	}

	/** Records that a peer has proven its identity at an address. */
	synchronized void addPeer(String address) {
		if (this.peers.putIfAbsent(address, true) == null) {
			this.strangers -= size(address);
			if (this.peers.size() > MAX_PEERS) {
				String first = this.peers.keySet().iterator().next();
				this.peers.remove(first);
				this.strangers += size(first);
			}
		}
	}

	private int size(String address) {
		Set<Channel> channels = this.byAddress.get(address);
		return (channels != null) ? channels.size() : 0;
	}

}
