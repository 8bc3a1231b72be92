package io.statestore.testing.broker;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.statestore.broker.server.StateStoreServer;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Returns a store to its initial content. Lock leases remain. All other keys change
 * through ordinary writes, so their watchers are notified. Thread-safe.
 */
final class ContentReset {

	private static final Bytes ALL = Bytes.of("*");

	/**
	 * Maximum number of attempts to change a key that other clients change concurrently.
	 */
	private static final int MAX_ATTEMPTS = 5;

	private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);

	/**
	 * Keys whose last SET had the form of a lock lease: with an expiry and the condition
	 * {@link Command.Condition#IF_ABSENT_OR_EQUAL}.
	 */
	private final Set<Bytes> leases = ConcurrentHashMap.newKeySet();

	private final LongSupplier wallClock;

	private Map<Bytes, Bytes> initial = Map.of();

	ContentReset(LongSupplier wallClock) {
		this.wallClock = wallClock;
	}

	/** Handles the reply to a client's command. */
	void replied(Command command, byte[] reply) {
		if (command instanceof Command.Set set && Arrays.equals(reply, OK)) {
			if (set.expiry() != null && set.condition() == Command.Condition.IF_ABSENT_OR_EQUAL) {
				this.leases.add(set.key().compact());
			}
			else {
				this.leases.remove(set.key());
			}
		}
	}

	/** Makes the current content, without expiring keys, the initial content. */
	synchronized void keep(StateStoreServer server) {
		try (LocalClient client = new LocalClient(server, this.wallClock)) {
			Map<Bytes, Bytes> content = new LinkedHashMap<>();
			for (Bytes key : keys(client)) {
				if (!expires(client, key) && read(client, key).reply() instanceof Reply.Value value) {
					content.put(key, value.value());
				}
			}
			this.initial = content;
		}
	}

	/** Restores the initial content. */
	synchronized void reset(StateStoreServer server) {
		try (LocalClient client = new LocalClient(server, this.wallClock)) {
			for (Bytes key : keys(client)) {
				if (!isLease(client, key)) {
					restore(client, key, this.initial.get(key));
				}
			}
			this.initial.forEach((key, value) -> restore(client, key, value));
		}
	}

	/**
	 * Restores a key. The key's own version is a sufficient fencing token, because it is
	 * greater than the token with which the key was written.
	 * @param value the initial value, or {@code null} to delete the key
	 */
	private void restore(LocalClient client, Bytes key, @Nullable Bytes value) {
		for (int i = 0; i < MAX_ATTEMPTS; i++) {
			LocalClient.Result current = read(client, key);
			Bytes actual = (current.reply() instanceof Reply.Value present) ? present.value() : null;
			if (Objects.equals(actual, value) && !expires(client, key)) {
				return;
			}
			change(client, key, value, current.version());
		}
	}

	/**
	 * Returns whether a key is a lock lease. A key without an expiry was created after
	 * the lease.
	 */
	private boolean isLease(LocalClient client, Bytes key) {
		return this.leases.contains(key) && expires(client, key);
	}

	private static boolean expires(LocalClient client, Bytes key) {
		return client.execute(new Command.Ttl(key), null).reply() instanceof Reply.Count millis && millis.number() >= 0;
	}

	/**
	 * Deletes a key, or sets it without a fencing token, because the token would remain.
	 * A key that has a token is deleted, so that the next attempt can set it.
	 */
	private static void change(LocalClient client, Bytes key, @Nullable Bytes value, @Nullable Version version) {
		boolean fenced = value == null
				|| client.execute(new Command.Set(key, value), null).reply() instanceof Reply.Error;
		if (fenced) {
			client.execute(new Command.Del(key), version);
		}
	}

	private static LocalClient.Result read(LocalClient client, Bytes key) {
		return client.execute(new Command.Get(key), null);
	}

	private static List<Bytes> keys(LocalClient client) {
		List<Bytes> keys = new ArrayList<>();
		Bytes token = null;
		do {
			Reply.Page page = (Reply.Page) client.execute(new Command.Scan(ALL, token), null).reply();
			keys.addAll(page.keys());
			token = page.token();
		}
		while (token != null);
		return keys;
	}

}
