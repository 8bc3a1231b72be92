package io.statestore.boot;

import java.time.Duration;

import io.statestore.client.lock.LockOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Properties of the locks in the state store. */
@ConfigurationProperties("statestore.lock")
public class StateStoreLockProperties {

	private static final int MAX_KEY_PREFIX_LENGTH = 1000;

	/**
	 * How long the store keeps a lock whose holder has fallen silent, 100 ms to a day. It
	 * is renewed for as long as the lock is held.
	 */
	private Duration lease = Duration.ofSeconds(30);

	/**
	 * Prefix of lock keys.
	 */
	private String keyPrefix = "";

	/**
	 * Name of this application as the holder of a lock, visible to other processes. The
	 * client id of its connection by default.
	 */
	private @Nullable String holderName;

	/**
	 * Whether the thread that holds a lock is interrupted when the lock is lost.
	 */
	private boolean interruptHolder;

	/**
	 * Maximum time that the lock registry waits at shutdown for held locks to be
	 * released. Locks still held then are reported as lost, and the store keeps them
	 * until their leases end.
	 */
	private Duration stopTimeout = Duration.ofSeconds(5);

	public Duration getLease() {
		return this.lease;
	}

	public void setLease(Duration lease) {
		this.lease = lease;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public @Nullable String getHolderName() {
		return this.holderName;
	}

	public void setHolderName(@Nullable String holderName) {
		this.holderName = holderName;
	}

	public boolean isInterruptHolder() {
		return this.interruptHolder;
	}

	public void setInterruptHolder(boolean interruptHolder) {
		this.interruptHolder = interruptHolder;
	}

	public Duration getStopTimeout() {
		return this.stopTimeout;
	}

	public void setStopTimeout(Duration stopTimeout) {
		this.stopTimeout = stopTimeout;
	}

	private void validateKeyPrefix() {
		boolean printable = this.keyPrefix.codePoints()
			.allMatch((c) -> !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE);
		boolean blank = !this.keyPrefix.isEmpty() && this.keyPrefix.isBlank();
		if (blank || !printable || this.keyPrefix.length() > MAX_KEY_PREFIX_LENGTH) {
			throw new InvalidConfigurationPropertyValueException("statestore.lock.key-prefix", this.keyPrefix,
					"It must have at most " + MAX_KEY_PREFIX_LENGTH
							+ " printable characters, and not only spaces. For no prefix leave it empty");
		}
	}

	LockOptions options(@Nullable String clientId) {
		validateKeyPrefix();
		String holderName = (this.holderName != null) ? this.holderName : clientId;
		try {
			LockOptions options = LockOptions.DEFAULT.withKeyPrefix(this.keyPrefix)
				.withInterruptHolder(this.interruptHolder)
				.withLease(this.lease)
				.withStopTimeout(this.stopTimeout);
			return (holderName != null) ? options.withHolderName(holderName) : options;
		}
		catch (IllegalArgumentException ex) {
			throw OptionFailures.namingTheProperty("statestore.lock.", ex);
		}
	}

}
