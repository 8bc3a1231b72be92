package io.statestore.client.watch;

import java.util.Objects;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Last known version and presence of a key. Decides which notifications and GET results
 * are new. Only its key's events change it; any thread may read {@link #known()} and
 * {@link #isAbsent()}.
 * <p>
 * A store's versions increase, so notifications up to the last seen version are outdated.
 * A store that loses its data and its clock breaks this rule. This can happen only
 * between two connections, or behind a gateway. Therefore, the first GET of each
 * synchronization decides. If no newer notification has arrived since the synchronization
 * began, and GET returns an older version than the known version, or the same version
 * with another value, the store has lost data. The result then replaces the known state.
 */
final class SeenVersions {

	/**
	 * Version up to which notifications are outdated, {@code null} if all notifications
	 * are new.
	 */
	private @Nullable Version floor;

	/** Last known state of the key, {@code null} before the first GET. */
	private volatile @Nullable KnownState known;

	/**
	 * Whether the connection is new and not yet synchronized, so the store may have lost
	 * data.
	 */
	private boolean newConnection;

	/** Whether a notification was accepted since the synchronization began. */
	private boolean accepted;

	/** Outdated notification that is delivered if the store has lost data. */
	private @Nullable KeyChange<Bytes> held;

	/** Forgets the key's state once the key is no longer watched. */
	void reset() {
		this.floor = null;
		this.known = null;
		this.newConnection = false;
		beginSynchronization();
	}

	/** Handles a new connection, which may be to another store. */
	void connected() {
		this.newConnection = true;
	}

	/** Begins a synchronization, which ends with the next GET result. */
	void beginSynchronization() {
		this.accepted = false;
		this.held = null;
	}

	/**
	 * Handles a notification.
	 * @return whether the change must be delivered
	 */
	boolean accept(KeyChange<Bytes> change) {
		if (isOutdated(change.version())) {
			hold(change);
			return false;
		}
		boolean repeatedDeletion = isRepeatedDeletion(change);
		remember(change);
		this.accepted = true;
		this.held = null;
		return !repeatedDeletion;
	}

	private boolean isRepeatedDeletion(KeyChange<Bytes> change) {
		return change.operation() == Operation.DELETE && this.known != null && !this.known.present();
	}

	private void hold(KeyChange<Bytes> change) {
		boolean suspicious = this.newConnection && !this.accepted && this.known != null && !this.known.isAfter(change);
		if (suspicious && (this.held == null || this.held.version().compareTo(change.version()) < 0)) {
			this.held = DeliveryQueue.afterGap(change);
		}
	}

	private boolean isOutdated(Version version) {
		return this.floor != null && version.compareTo(this.floor) <= 0;
	}

	/** Handles a GET that found the key, which ends the synchronization. */
	Reading foundPresent(KeyChange<Bytes> read) {
		KnownState known = this.known;
		Reading result;
		if (known == null) {
			remember(read);
			result = Reading.UNCHANGED;
		}
		else if (!isOutdated(read.version()) || (!this.accepted && !known.isAfter(read))) {
			KeyChange<Bytes> latest = later(read, this.held);
			result = isRepeatedDeletion(latest) ? Reading.OUTDATED : new Reading(latest, true);
			remember(latest);
		}
		else {
			result = known.isAfter(read) ? Reading.UNCHANGED : Reading.OUTDATED;
		}
		endSynchronization();
		return result;
	}

	private static KeyChange<Bytes> later(KeyChange<Bytes> read, @Nullable KeyChange<Bytes> held) {
		return (held != null && held.version().compareTo(read.version()) > 0) ? held : read;
	}

	/**
	 * Handles a GET that did not find the key, which ends the synchronization.
	 * @param localDeletion version of the last deletion by this client, {@code null} if
	 * there was none
	 */
	Reading foundAbsent(Key key, @Nullable Version localDeletion) {
		KnownState known = this.known;
		Reading result = Reading.UNCHANGED;
		if (known == null) {
			this.known = new KnownState(null, null);
		}
		else if (this.accepted) {
			// Either the result is older than the notification, or the deletion's
			// notification has not arrived yet.
			result = known.present() ? Reading.OUTDATED : Reading.UNCHANGED;
		}
		else if (this.held != null) {
			KeyChange<Bytes> latest = this.held;
			result = isRepeatedDeletion(latest) ? Reading.UNCHANGED : new Reading(latest, true);
			remember(latest);
		}
		else {
			if (known.present()) {
				Version version = deletionAfter(known.version(), localDeletion);
				this.known = new KnownState(version, null);
				result = new Reading(new KeyChange<>(key, Operation.DELETE, null, version, true), true);
			}
			if (this.newConnection) {
				// A new store's clock may be behind, so treat any notification as new.
				this.floor = null;
			}
		}
		endSynchronization();
		return result;
	}

	/**
	 * Returns a deletion's version if known, otherwise the smallest possible version.
	 */
	private static Version deletionAfter(@Nullable Version last, @Nullable Version localDeletion) {
		Version base = Objects.requireNonNull(last);
		if (localDeletion != null && localDeletion.compareTo(base) > 0) {
			return localDeletion;
		}
		return (base.counter() < Integer.MAX_VALUE) ? new Version(base.wallMillis(), base.counter() + 1, base.nodeId())
				: new Version(base.wallMillis() + 1, 0, base.nodeId());
	}

	private void endSynchronization() {
		this.newConnection = false;
		beginSynchronization();
	}

	private void remember(KeyChange<Bytes> change) {
		this.floor = change.version();
		this.known = new KnownState(change.version(), hashOf(change));
	}

	private static @Nullable Integer hashOf(KeyChange<Bytes> change) {
		Bytes value = change.value();
		return (value != null) ? value.hashCode() : null;
	}

	@Nullable Version known() {
		KnownState known = this.known;
		return (known != null) ? known.version() : null;
	}

	boolean isAbsent() {
		KnownState known = this.known;
		return known != null && !known.present();
	}

	/** Returns the version up to which notifications are outdated, if any. */
	@Nullable Version floor() {
		return this.floor;
	}

	/**
	 * Conclusion from a GET result.
	 *
	 * @param change change that must be delivered because no notification reported it,
	 * {@code null} for none
	 * @param current whether the result is the latest known state of the key
	 */
	record Reading(@Nullable KeyChange<Bytes> change, boolean current) {

		static final Reading UNCHANGED = new Reading(null, true);

		/** Changes have arrived since the store read the key. */
		static final Reading OUTDATED = new Reading(null, false);

	}

	/**
	 * State of the key.
	 *
	 * @param version version of the value or deletion, {@code null} for a key that was
	 * never seen to exist
	 * @param hash hash code of the value, {@code null} if the key is absent
	 */
	private record KnownState(@Nullable Version version, @Nullable Integer hash) {

		boolean present() {
			return this.hash != null;
		}

		/**
		 * Returns whether a change results in this state. Comparing only versions is not
		 * enough, because a store that has lost its clock may use a version again.
		 */
		boolean isAfter(KeyChange<Bytes> change) {
			return change.version().equals(this.version) && Objects.equals(this.hash, hashOf(change));
		}

	}

}
