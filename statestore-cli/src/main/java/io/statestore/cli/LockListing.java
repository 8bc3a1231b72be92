package io.statestore.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.AdministrationClient;
import io.statestore.client.mqtt.AdministrationUnavailableException;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * Listing of locks by an administration request, which only servers of this project
 * answer. Otherwise uses the commands of the protocol, which show only holder and last
 * renewal.
 */
final class LockListing {

	/** Timeout of the administration request. A server answers within milliseconds. */
	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final int BATCH = 500;

	private final Session session;

	/** Answers administration requests. Created after the session has connected. */
	private final Supplier<Function<LockQuery, AdministrationPage<StoredLock>>> administration;

	private final Consumer<String> messages;

	/**
	 * Creates a listing.
	 * @param messages receives a message if the server does not show everything
	 */
	LockListing(Session session, Consumer<String> messages) {
		this(session, messages, () -> {
			AdministrationClient client = new AdministrationClient(session.connection());
			return (query) -> Session.await(client.locks(query, TIMEOUT));
		});
	}

	LockListing(Session session, Consumer<String> messages,
			Supplier<Function<LockQuery, AdministrationPage<StoredLock>>> administration) {
		this.session = session;
		this.messages = messages;
		this.administration = administration;
	}

	/**
	 * Passes all locks to a consumer.
	 * @param pattern pattern of the keys, as in a SCAN
	 * @param all whether to include keys that may be locks of other programs
	 * @throws StateStoreException if the server stops to answer administration requests;
	 * some locks were passed
	 */
	void forEach(String pattern, boolean all, Consumer<StoredLock> consumer) {
		Iterator<Key> keys = this.session.template().scan(pattern).iterator();
		// Connects, and fails with the reason if that is impossible.
		keys.hasNext();
		Function<LockQuery, AdministrationPage<StoredLock>> pages = this.administration.get();
		String token = null;
		do {
			AdministrationPage<StoredLock> page;
			try {
				page = pages.apply(new LockQuery(Bytes.of(pattern), all, token));
			}
			catch (AdministrationUnavailableException | StateStoreRefusedException ex) {
				if (token != null) {
					// Reading all keys would pass locks of earlier pages again.
					throw ex;
				}
				this.messages.accept(ex.getMessage() + ". Therefore, token, time left, and waiters are unknown");
				read(keys, all, consumer);
				return;
			}
			page.items().forEach(consumer);
			token = page.token();
		}
		while (token != null);
	}

	/** Reads all keys, because the protocol does not distinguish locks from data. */
	private void read(Iterator<Key> keys, boolean all, Consumer<StoredLock> consumer) {
		StateStoreTemplate template = this.session.template();
		while (keys.hasNext()) {
			List<Key> batch = new ArrayList<>();
			while (keys.hasNext() && batch.size() < BATCH) {
				Key key = keys.next();
				if (!LockNames.isSuccessor(key.bytes())) {
					batch.add(key);
				}
			}
			template.getAll(batch, Bytes.class).values().forEach((entry) -> {
				if (all || LockNames.isHolder(entry.value())) {
					consumer.accept(lock(entry));
				}
			});
		}
	}

	/** Returns a lock with the fields that a GET provides. */
	static StoredLock lock(Entry<Bytes> entry) {
		return new StoredLock(entry.key().bytes(), entry.value(), entry.version(), null, null, null, null, null, -1);
	}

	/** Returns the name of a holder as text, or the entire value of another program. */
	static String holder(StoredLock lock) {
		Bytes name = LockNames.holderName(lock.holder());
		return name.isEmpty() ? "" : ShownValue.of(name, null).toString();
	}

	/** Returns the time left in seconds, {@code null} if it is unknown. */
	static @Nullable Double secondsLeft(StoredLock lock) {
		return (lock.remaining() != null) ? lock.remaining().toMillis() / 1000.0 : null;
	}

}
