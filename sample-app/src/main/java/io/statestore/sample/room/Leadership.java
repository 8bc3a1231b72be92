package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The leader of the line, as its lock shows it.
 *
 * @param holder value of the lock, which names the holder and the acquisition,
 * {@code null} if there is no leader
 * @param leader name of the leader, {@code null} if there is none
 * @param former name of the latest leader, {@code null} if there was none
 * @param token fencing token of the leader, {@code null} if it is not known
 * @param renewed time of the last renewal of the lock, by the clock of the store
 * @param takeover duration of the last takeover, from the event that caused it,
 * {@code null} before the first one
 */
record Leadership(@Nullable Bytes holder, @Nullable String leader, @Nullable String former, @Nullable Version token,
		Instant renewed, @Nullable Duration takeover) {

	/** In {@code application-press.yml}. */
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

	/** Returns the remaining time of the lease in milliseconds. */
	public long remaining() {
		return Math.max(0, Math.min(lease(), lease() - Duration.between(this.renewed, Instant.now()).toMillis()));
	}

}
