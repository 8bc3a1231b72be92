package io.statestore.cli;

import java.time.Duration;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Function;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * Lists locks with an administration request, which only servers of this project answer.
 * For other servers, uses protocol commands, which show only the holder and the last
 * renewal.
 *
 * @param template reads the locks if the server does not answer the request
 * @param pages requests a page of locks
 * @param messages receives a message if the server does not show everything
 */
record LockListing(StateStoreTemplate template, Function<LockQuery, AdministrationPage<StoredLock>> pages,
		Consumer<String> messages) {

	/** Administration request timeout. A server answers within milliseconds. */
	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	LockListing(Session session, Consumer<String> messages) {
		this(session.template(), (query) -> Session.await(session.administration().locks(query, TIMEOUT)), messages);
	}

	/**
	 * Passes all locks to a consumer.
	 * @param pattern pattern of the keys, as in a SCAN
	 * @param all whether to include keys that may be locks of other programs
	 * @throws StateStoreException if the server stops answering administration requests;
	 * some locks were already passed
	 */
	void forEach(String pattern, boolean all, Consumer<StoredLock> consumer) {
		String token = null;
		do {
			AdministrationPage<StoredLock> page;
			try {
				page = this.pages.apply(new LockQuery(Bytes.of(pattern), all, token));
			}
			catch (AdministrationUnavailableException | StateStoreRefusedException ex) {
				if (token != null) {
					// Reading all keys would pass the locks of earlier pages again.
					throw ex;
				}
				this.messages.accept(ex.getMessage() + ". Therefore, token, time left, and waiters are unknown");
				read(pattern, all, consumer);
				return;
			}
			page.items().forEach(consumer);
			token = page.token();
		}
		while (token != null);
	}

	/** Reads all keys, because the protocol does not distinguish locks from data. */
	private void read(String pattern, boolean all, Consumer<StoredLock> consumer) {
		Iterator<Key> keys = this.template.scan(pattern)
			.stream()
			.filter((key) -> !LockNames.isSuccessor(key.bytes()))
			.iterator();
		Session.forEachEntry(this.template, keys, (entry) -> {
			if (all || LockNames.isHolder(entry.value())) {
				consumer.accept(lock(entry));
			}
		});
	}

	/** Returns a lock with the fields that a GET provides. */
	static StoredLock lock(Entry<Bytes> entry) {
		return new StoredLock(entry.key().bytes(), entry.value(), entry.version(), null, null, null, null, null, -1);
	}

	/**
	 * Returns a holder's name as text. If another program wrote the value, returns the
	 * entire value.
	 */
	static String holder(Bytes value) {
		Bytes name = LockNames.holderName(value);
		return name.isEmpty() ? "" : ShownValue.of(name, null).toString();
	}

	/** Returns the number of waiters; {@code null} if unknown. */
	static @Nullable Integer waiters(StoredLock lock) {
		return (lock.waiterCount() >= 0) ? lock.waiterCount() : null;
	}

}
