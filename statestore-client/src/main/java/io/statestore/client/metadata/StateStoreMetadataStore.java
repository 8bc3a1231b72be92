package io.statestore.client.metadata;

import java.util.Optional;
import java.util.function.Function;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.metadata.ConcurrentMetadataStore;

/**
 * Spring Integration metadata store that keeps its entries in a state store, for example
 * for idempotent receivers and file filters that several processes share. Thread-safe.
 * <p>
 * <b>Atomicity.</b> The protocol does not have a command that replaces a value only if it
 * equals an expected value. {@link #put}, {@link #replace}, and {@link #remove} therefore
 * hold a lock for the key, and their writes carry its fencing token. Among metadata
 * stores with the same prefixes and locks, operations are atomic while their lock is
 * held. Once such an operation has written a key, the store refuses writes to it by other
 * clients, because they lack a token. {@link #putIfAbsent} and {@link #get} do not need a
 * lock.
 * <p>
 * <b>Limit.</b> A token protects a key only while the key exists. If a process pauses
 * within {@code put} or {@code replace} for longer than the lock's lease, and another
 * process removes the key in the meantime, the late write creates the key again. If
 * another process writes the key instead, the store refuses the late write.
 * <p>
 * <b>Failures.</b> If the store does not answer or refuses a request, methods throw a
 * {@link StateStoreException}. {@link io.statestore.client.lock.LockLostException} means
 * that the lock was lost during the operation, so its outcome is unknown.
 */
public final class StateStoreMetadataStore implements ConcurrentMetadataStore {

	private static final String DEFAULT_PREFIX = "metadata/";

	private static final String LOCK_PREFIX = "lock/";

	private final StateStoreOperations operations;

	private final StateStoreLockRegistry locks;

	private final String keyPrefix;

	/**
	 * Creates a metadata store with keys that begin with {@code metadata/}.
	 * @param operations operations on the store that keeps the entries
	 * @param locks locks in the same store
	 */
	public StateStoreMetadataStore(StateStoreOperations operations, StateStoreLockRegistry locks) {
		this(operations, locks, DEFAULT_PREFIX);
	}

	/**
	 * Creates a metadata store.
	 * @param operations operations on the store that keeps the entries
	 * @param locks locks in the same store. A lock's name is {@code lock/} followed by
	 * the entry's key
	 * @param keyPrefix prefix of the entries' keys in the store, may be empty
	 */
	public StateStoreMetadataStore(StateStoreOperations operations, StateStoreLockRegistry locks, String keyPrefix) {
		this.operations = operations.withoutLockCheck();
		this.locks = locks;
		this.keyPrefix = keyPrefix;
	}

	private Key key(String name, @Nullable String key) {
		requireNotNull(name, key);
		return Key.of(this.keyPrefix + key);
	}

	private static void requireNotNull(String name, @Nullable String argument) {
		if (argument == null) {
			throw new IllegalArgumentException("'" + name + "' must not be null");
		}
	}

	@Override
	public @Nullable String get(String key) {
		return read(this.operations, key("key", key)).orElse(null);
	}

	private static Optional<String> read(StateStoreOperations operations, Key key) {
		return operations.getValue(key, String.class);
	}

	@Override
	public void put(String key, String value) {
		Key storeKey = key("key", key);
		requireNotNull("value", value);
		locked(key, (fenced) -> fenced.set(storeKey, value));
	}

	/**
	 * Stores a value if the key is absent. The store checks this atomically, so at most
	 * one process succeeds.
	 * @param key the key
	 * @param value the value
	 * @return the value already present, {@code null} if the given value was stored
	 */
	@Override
	public @Nullable String putIfAbsent(String key, String value) {
		Key storeKey = key("key", key);
		requireNotNull("value", value);
		while (!setIfAbsent(storeKey, value)) {
			Optional<String> present = read(this.operations, storeKey);
			if (present.isPresent()) {
				return present.get();
			}
			// Removed in the meantime, so the next attempt may succeed.
		}
		return null;
	}

	private boolean setIfAbsent(Key key, String value) {
		try {
			return this.operations.set(key, value, (spec) -> spec.ifAbsent().neverExpire()).applied();
		}
		catch (StateStoreRefusedException ex) {
			if (ex.reason() != ErrorReason.FENCING_TOKEN_REQUIRED) {
				throw ex;
			}
			// The key is present, because absent keys do not require a token.
			return false;
		}
	}

	@Override
	public boolean replace(String key, String oldValue, String newValue) {
		Key storeKey = key("key", key);
		requireNotNull("oldValue", oldValue);
		requireNotNull("newValue", newValue);
		if (!read(this.operations, storeKey).filter(oldValue::equals).isPresent()) {
			return false;
		}
		return locked(key, (fenced) -> {
			boolean equal = read(fenced, storeKey).filter(oldValue::equals).isPresent();
			if (equal) {
				fenced.set(storeKey, newValue);
			}
			return equal;
		});
	}

	@Override
	public @Nullable String remove(String key) {
		Key storeKey = key("key", key);
		if (read(this.operations, storeKey).isEmpty()) {
			return null;
		}
		return locked(key, (fenced) -> {
			Optional<String> present = read(fenced, storeKey);
			present.ifPresent((value) -> fenced.delete(storeKey));
			return present;
		}).orElse(null);
	}

	private <T> T locked(String key, Function<StateStoreOperations, T> operation) {
		FencedLock lock = this.locks.obtain(LOCK_PREFIX + this.keyPrefix + key);
		try {
			return lock.execute((held) -> operation.apply(held.operations()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StateStoreNotSentException(
					"Interrupted while waiting for the lock of metadata key '" + key + "'. Nothing was changed", ex);
		}
	}

}
