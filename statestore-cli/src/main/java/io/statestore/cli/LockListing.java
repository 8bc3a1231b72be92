package io.statestore.cli;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

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
 * Command that lists locks with an administration request, which only servers of this
 * project answer. For other servers, uses protocol commands, which show only the holder
 * and the last renewal.
 */
abstract class LockListing extends ResultCommand {

	/** Administration request timeout. A server answers within milliseconds. */
	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	/**
	 * Passes all locks to a consumer.
	 * @param pattern pattern of the keys, as in a SCAN
	 * @param all whether to include keys that may be locks of other programs
	 * @throws StateStoreException if the server stops answering administration requests;
	 * some locks were already passed
	 */
	final void forEachLock(Session session, String pattern, boolean all, Consumer<StoredLock> consumer) {
		AtomicBoolean passed = new AtomicBoolean();
		try {
			Session.forEachItem((token) -> page(session, new LockQuery(Bytes.of(pattern), all, token)), (lock) -> {
				passed.set(true);
				consumer.accept(lock);
			});
		}
		catch (AdministrationUnavailableException | StateStoreRefusedException ex) {
			if (passed.get()) {
				// Reading all keys would pass the same locks again.
				throw ex;
			}
			message(ex.getMessage() + ". Therefore, token, time left, and waiters are unknown");
			read(session.template(), pattern, all, consumer);
		}
	}

	/** Requests a page of locks. */
	CompletableFuture<AdministrationPage<StoredLock>> page(Session session, LockQuery query) {
		return session.administration().locks(query, TIMEOUT);
	}

	/** Reads all keys, because the protocol does not distinguish locks from data. */
	private static void read(StateStoreTemplate template, String pattern, boolean all, Consumer<StoredLock> consumer) {
		Iterator<Key> keys = template.scan(pattern)
			.stream()
			.filter((key) -> !LockNames.isSuccessor(key.bytes()))
			.iterator();
		Session.forEachEntry(template, keys, (entry) -> {
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
		return ShownValue.of(LockNames.holderName(value), null).toString();
	}

	/** Returns the number of waiters; {@code null} if unknown. */
	static @Nullable Integer waiters(StoredLock lock) {
		return (lock.waiterCount() >= 0) ? lock.waiterCount() : null;
	}

}
