package io.statestore.testing.broker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Returns a store to its initial content. Leases of locks remain. The other keys change
 * by ordinary writes, so their watchers are notified.
 */
final class ContentReset {

	private static final Bytes ALL = Bytes.of("*");

	/** Attempts to change a key that other clients change at the same time. */
	private static final int MAX_ATTEMPTS = 5;

	private final FaultyBroker broker;

	private Map<Bytes, Bytes> initial = Map.of();

	ContentReset(FaultyBroker broker) {
		this.broker = broker;
	}

	/** Makes the current content, without expiring keys, the initial one. */
	synchronized void keep() {
		try (LocalClient client = client()) {
			Map<Bytes, Bytes> content = new LinkedHashMap<>();
			for (Bytes key : keys(client)) {
				if (!this.broker.expiringKeys.contains(key) && read(client, key).reply() instanceof Reply.Value value) {
					content.put(key, value.value());
				}
			}
			this.initial = content;
		}
	}

	/** Restores the initial content. */
	synchronized void reset() {
		try (LocalClient client = client()) {
			for (Bytes key : keys(client)) {
				if (!this.broker.expiringKeys.isLease(key)) {
					restore(client, key, this.initial.get(key));
				}
			}
			this.initial.forEach((key, value) -> restore(client, key, value));
		}
	}

	private LocalClient client() {
		return new LocalClient(this.broker.server(), this.broker.options.wallClock());
	}

	/**
	 * Restores a key. Its own version is a sufficient fencing token, because it is
	 * greater than the token of the write.
	 * @param value the initial value, or {@code null} to delete the key
	 */
	private void restore(LocalClient client, Bytes key, @Nullable Bytes value) {
		for (int i = 0; i < MAX_ATTEMPTS; i++) {
			LocalClient.Result current = read(client, key);
			Bytes actual = (current.reply() instanceof Reply.Value present) ? present.value() : null;
			if (actual == null) {
				this.broker.expiringKeys.remove(key);
			}
			boolean restored = (actual == null) ? value == null
					: actual.equals(value) && !this.broker.expiringKeys.contains(key);
			if (restored) {
				return;
			}
			change(client, key, value, current.version());
			this.broker.expiringKeys.remove(key);
		}
	}

	/** Sets a key without a fencing token, because the token would remain. */
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
			Reply reply = client.execute(new Command.Scan(ALL, token), null).reply();
			Reply.Page page = (Reply.Page) reply;
			keys.addAll(page.keys());
			token = page.token();
		}
		while (token != null);
		return keys;
	}

}
