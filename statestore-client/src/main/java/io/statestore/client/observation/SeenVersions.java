package io.statestore.client.observation;

import java.util.Objects;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one key: decides which notifications and readings are news.
 * <p>
 * Versions of a store only grow, so a notification up to the last seen version is old. A
 * store that lost its data and its clock breaks that rule, and can do so only between two
 * connections, or behind a gateway. Hence the first reading of every cycle decides: if it
 * is older than what is known, and nothing newer has arrived since the cycle began, the
 * store went back, and what it has now counts.
 */
final class SeenVersions {

	/** Notifications up to here are old; {@code null} if none is. */
	private @Nullable Version floor;

	/** The state of the key as told last; {@code null} before the first reading. */
	private @Nullable Known known;

	/** Nothing on this connection has shown yet that the store is the same as before. */
	private boolean newConnection;

	/** A notification was accepted since the cycle began. */
	private boolean news;

	/** An old notification of a new connection, in case the store went back. */
	private @Nullable KeyChange<Bytes> held;

	/** The key is no longer observed. */
	void forget() {
		this.floor = null;
		this.known = null;
		this.newConnection = false;
		cycleBegins();
	}

	/**
	 * Handles a new connection, which has no observations and may be to another store.
	 */
	void connected() {
		this.newConnection = true;
	}

	/** A reading will follow. */
	void cycleBegins() {
		this.news = false;
		this.held = null;
	}

	/** A notification; whether it is news. */
	boolean accept(KeyChange<Bytes> change) {
		Version version = change.version();
		if (isOld(version)) {
			hold(change);
			return false;
		}
		boolean goneAlready = isGoneAlready(change);
		know(change);
		this.news = true;
		this.held = null;
		return !goneAlready;
	}

	private boolean isGoneAlready(KeyChange<Bytes> change) {
		return change.operation() == Operation.DELETE && this.known != null && !this.known.present();
	}

	private void hold(KeyChange<Bytes> change) {
		boolean suspicious = this.newConnection && !this.news && !change.version().equals(this.floor);
		if (suspicious && (this.held == null || this.held.version().compareTo(change.version()) < 0)) {
			this.held = change;
		}
	}

	private boolean isOld(Version version) {
		return this.floor != null && version.compareTo(this.floor) <= 0;
	}

	/** The store was read and has the key. */
	Reading present(KeyChange<Bytes> read) {
		Known known = this.known;
		Reading result;
		if (known == null) {
			know(read);
			result = Reading.UNCHANGED;
		}
		else if (!isOld(read.version()) || (!this.news && !read.version().equals(known.version()))) {
			KeyChange<Bytes> latest = later(read, this.held);
			result = isGoneAlready(latest) ? Reading.OUTDATED : new Reading(latest, true);
			know(latest);
		}
		else {
			result = read.version().equals(known.version()) ? Reading.UNCHANGED : Reading.OUTDATED;
		}
		cycleEnds();
		return result;
	}

	private static KeyChange<Bytes> later(KeyChange<Bytes> read, @Nullable KeyChange<Bytes> held) {
		return (held != null && held.version().compareTo(read.version()) > 0) ? held : read;
	}

	/**
	 * The store was read and does not have the key.
	 * @param ownDeletion the version of a deletion of our own, if there was one
	 */
	Reading absent(Key key, @Nullable Version ownDeletion) {
		Known known = this.known;
		Reading result = Reading.UNCHANGED;
		if (known == null) {
			this.known = new Known(null, false);
		}
		else if (this.news) {
			// What was read is older, or its notification is still to come.
			result = known.present() ? Reading.OUTDATED : Reading.UNCHANGED;
		}
		else if (this.held != null) {
			KeyChange<Bytes> latest = this.held;
			result = isGoneAlready(latest) ? Reading.UNCHANGED : new Reading(latest, true);
			know(latest);
		}
		else {
			if (known.present()) {
				Version version = deletionAfter(known.version(), ownDeletion);
				this.known = new Known(version, false);
				result = new Reading(new KeyChange<>(key, Operation.DELETE, null, version, true), true);
			}
			if (this.newConnection) {
				// Perhaps a new store with an earlier clock; only a change can tell.
				this.floor = null;
			}
		}
		cycleEnds();
		return result;
	}

	/** Its own version where it is known, otherwise the smallest it can have. */
	private static Version deletionAfter(@Nullable Version last, @Nullable Version ownDeletion) {
		Version base = Objects.requireNonNull(last);
		if (ownDeletion != null && ownDeletion.compareTo(base) > 0) {
			return ownDeletion;
		}
		return (base.counter() < Integer.MAX_VALUE) ? new Version(base.wallMillis(), base.counter() + 1, base.nodeId())
				: new Version(base.wallMillis() + 1, 0, base.nodeId());
	}

	private void cycleEnds() {
		this.newConnection = false;
		cycleBegins();
	}

	private void know(KeyChange<Bytes> change) {
		this.floor = change.version();
		this.known = new Known(change.version(), change.operation() == Operation.SET);
	}

	/** Notifications up to this version are old. */
	@Nullable Version floor() {
		return this.floor;
	}

	/**
	 * What a reading means.
	 *
	 * @param change what has changed unnoticed, {@code null} if nothing
	 * @param current whether what was read is the state of the key as far as is known
	 */
	record Reading(@Nullable KeyChange<Bytes> change, boolean current) {

		static final Reading UNCHANGED = new Reading(null, true);

		/** Changes have arrived since it was read. */
		static final Reading OUTDATED = new Reading(null, false);

	}

	/**
	 * @param version {@code null} for a key that never was there
	 */
	private record Known(@Nullable Version version, boolean present) {
	}

}
