package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The line's leader, as shown by its lock.
 *
 * @param holder value of the lock, which identifies the holder and the acquisition;
 * {@code null} if there is no leader
 * @param leader name of the leader; {@code null} if there is none
 * @param former name of the latest leader; {@code null} if there was none
 * @param token the leader's fencing token; {@code null} if unknown
 * @param renewed time of the lock's last renewal, by the store's clock
 * @param takeover duration of the last takeover, measured from the event that caused it;
 * {@code null} before the first takeover
 */
record Leadership(@Nullable Bytes holder, @Nullable String leader, @Nullable String former, @Nullable Version token,
		Instant renewed, @Nullable Duration takeover) {

	/** Lease of the lock, as set in {@code application-press.yml}. */
	static final Duration LEASE = Duration.ofSeconds(8);

	static final Leadership NONE = new Leadership(null, null, null, null, Instant.EPOCH, null);

	Leadership ended() {
		return new Leadership(null, null, this.former, null, this.renewed, this.takeover);
	}

	Leadership renewed(Instant at) {
		return new Leadership(this.holder, this.leader, this.former, this.token, at, this.takeover);
	}

	Leadership withToken(Version learned) {
		return new Leadership(this.holder, this.leader, this.former, learned, this.renewed, this.takeover);
	}

	public String shortToken() {
		return Texts.shortVersion(this.token);
	}

	public long lease() {
		return LEASE.toMillis();
	}

	/** Returns the remaining lease, in milliseconds. */
	public long remaining() {
		return Math.max(0, Math.min(lease(), lease() - Duration.between(this.renewed, Instant.now()).toMillis()));
	}

}
