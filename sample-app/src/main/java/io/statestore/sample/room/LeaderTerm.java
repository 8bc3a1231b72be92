package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The current leader, as its lock shows it. Not thread-safe. */
final class LeaderTerm {

	private final Duration lease;

	/** Value of the lock, which names the holder and the acquisition. */
	private @Nullable Bytes holder;

	/** Name of the leader in readable form. */
	private @Nullable String leader;

	private @Nullable String previous;

	private @Nullable Version token;

	private @Nullable Version renewed;

	private @Nullable Trouble trouble;

	private @Nullable Duration takeover;

	LeaderTerm(Duration lease) {
		this.lease = lease;
	}

	/**
	 * Notes what has happened to a press. If it leads, the time until the next leader is
	 * measured from then.
	 */
	void trouble(Trouble trouble) {
		if (trouble.press().equals(this.leader)) {
			this.trouble = trouble;
		}
	}

	/** Returns the sentence about a new term, {@code null} if the term is the same. */
	@Nullable String lockChanged(KeyChange<Bytes> change) {
		Bytes value = change.value();
		if (value == null || !LockNames.isLeader(value)) {
			this.previous = (this.leader != null) ? this.leader : this.previous;
			this.holder = null;
			this.leader = null;
			this.token = null;
			this.renewed = null;
			return null;
		}
		this.renewed = change.version();
		if (value.equals(this.holder)) {
			forgetTrouble(change.version());
			return null;
		}
		String former = (this.leader != null) ? this.leader : this.previous;
		this.holder = value;
		this.leader = ReadableText.key(LockNames.holderName(value).toUtf8());
		// After an interruption of the connection, this may be a renewal.
		this.token = change.resynchronized() ? null : change.version();
		return started(this.leader, former, Instant.ofEpochMilli(change.version().wallMillis()));
	}

	/** A leader that renews its lock has survived the trouble. */
	private void forgetTrouble(Version renewal) {
		if (this.trouble != null && this.trouble.isSurvivedBy(renewal)) {
			this.trouble = null;
		}
	}

	private String started(String leader, @Nullable String former, Instant at) {
		Trouble cause = this.trouble;
		this.trouble = null;
		if (cause == null || !cause.press().equals(former)) {
			return leader + " leads the line.";
		}
		Duration time = Duration.between(cause.at(), at);
		this.takeover = time.isNegative() ? Duration.ZERO : time;
		return String.format(Locale.ROOT, "%s leads the line, %,d ms after %s %s.", leader, this.takeover.toMillis(),
				cause.press(), cause.what());
	}

	/** A batch contains the token of its leader. */
	void batchChanged(JsonNode batch) {
		Version token = LineKeys.version(batch.path("token"));
		if (token != null && ReadableText.key(batch.path("leader").asString("")).equals(this.leader)
				&& (this.token == null || this.token.compareTo(token) < 0)) {
			this.token = token;
		}
	}

	@Nullable String leader() {
		return this.leader;
	}

	Leadership leadership() {
		return new Leadership(this.leader, (this.token != null) ? this.token.toString() : null,
				(this.renewed != null) ? Instant.ofEpochMilli(this.renewed.wallMillis()) : null, this.lease,
				this.takeover);
	}

}
