package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A period without a connection: its cause, its duration, and the attempts to connect.
 * Logs a warning at its start, another one when the broker refuses a connection for the
 * first time, at most one per {@link #WARNING_INTERVAL} after that, and one line at its
 * end. Outages between short connections share their warnings. Only {@link #problem()} is
 * thread-safe.
 */
final class Outage {

	/** Interval between warnings after the first one. */
	static final Duration WARNING_INTERVAL = Duration.ofMinutes(1);

	private static final Logger logger = LoggerFactory.getLogger(Outage.class);

	private final ConnectionOptions options;

	private final LongSupplier clock;

	/** Start of the outage. */
	private long since;

	private long warnedAt;

	/** Whether {@link #warnedAt} is set. */
	private boolean warned;

	/** Whether a warning has named a refusal by the broker. */
	private boolean refusalWarned;

	/** Start of the latest connection. */
	private long connectedAt;

	/** Whether the loss of the connection was logged without a warning. */
	private boolean silent;

	private int attempts;

	private final HostFailures failures;

	/** Host of the latest attempt, or of the connection. */
	private BrokerAddress host;

	private volatile String problem = ". The first attempt to connect is under way.";

	/**
	 * @param clock monotonic clock in nanoseconds
	 */
	Outage(ConnectionOptions options, LongSupplier clock) {
		this.options = options;
		this.clock = clock;
		this.failures = new HostFailures(options);
		this.host = options.hosts().get(0);
		begin();
	}

	/** Starts the search for a first connection. */
	void begin() {
		this.since = this.clock.getAsLong();
		this.warned = false;
		this.refusalWarned = false;
		this.silent = false;
		this.attempts = 0;
		this.failures.clear();
	}

	/** Starts after the application has ended or replaced the connection. */
	void beginOnRequest() {
		begin();
		this.problem = ". It is being replaced.";
	}

	/**
	 * Starts after the loss of the connection, and logs it.
	 * @param delay delay before the next attempt
	 */
	void beginAfterLoss(Throwable cause, Duration delay) {
		boolean recentlyWarned = this.warned && this.clock.getAsLong() - this.connectedAt <= WARNING_INTERVAL.toNanos();
		boolean recentlyRefused = recentlyWarned && this.refusalWarned;
		begin();
		this.warned = recentlyWarned;
		this.refusalWarned = recentlyRefused;
		if (Failures.isTakenOver(cause)) {
			ConnectionDiagnosis taken = ConnectionDiagnosis.CLIENT_ID_IN_USE;
			this.failures.lost(this.host, taken.cause() + ", '" + this.options.clientId() + '\'', taken.nextStep());
		}
		else {
			this.failures.lost(this.host, Failures.describe(cause), Failures.nextStepAfterLoss(cause, this.options));
		}
		this.problem = this.failures.describe();
		this.silent = !startWarning();
		logger.atLevel(this.silent ? Level.DEBUG : Level.WARN)
			.log("Lost connection to {}{} Next attempt in {} s", this.options.url(this.host), this.problem,
					seconds(delay));
	}

	/** Counts an attempt to connect to a host. */
	void attempt(BrokerAddress host) {
		this.host = host;
		this.attempts++;
	}

	/**
	 * Logs a failed attempt that is followed immediately by another, at the next host.
	 */
	void hostFailed(Throwable failure) {
		failed(failure, Duration.ZERO);
	}

	/**
	 * Logs a failed attempt, as a warning if one is due.
	 * @param delay delay before the next attempt
	 */
	void attemptFailed(Throwable failure, Duration delay) {
		failed(failure, delay);
		boolean refused = Failures.isRefused(failure);
		if (startWarning() || (refused && !this.refusalWarned)) {
			this.refusalWarned |= refused;
			this.silent = false;
			logger.warn("No connection to {} as client '{}' for {} s, {}{} The client keeps connecting",
					this.options.url(), this.options.clientId(), seconds(duration()), attempts(), this.problem);
		}
	}

	private void failed(Throwable failure, Duration delay) {
		this.failures.failed(this.host, Failures.describe(failure, this.options),
				Failures.nextStep(failure, this.options));
		this.problem = this.failures.describe();
		logger.debug("Failed to connect to {}, attempt {}; next attempt in {} s", this.options.url(this.host),
				this.attempts, seconds(delay), failure);
	}

	/**
	 * Ends because there is a connection, and logs it.
	 * @param reconnect whether there was a connection before
	 */
	void end(boolean reconnect) {
		this.connectedAt = this.clock.getAsLong();
		if (reconnect) {
			logger.atLevel(this.silent ? Level.DEBUG : Level.INFO)
				.log("Reconnected to {} after {} s, {}{}", this.options.url(this.host), seconds(duration()), attempts(),
						this.failures.describeOthers(this.host));
		}
		else {
			logger.info("Connected to {} as client {} after {} s, {}{}", this.options.url(this.host),
					this.options.clientId(), seconds(duration()), attempts(), this.failures.describeOthers(this.host));
		}
	}

	/** Returns why there is no connection and what to do, as the end of a sentence. */
	String problem() {
		return this.problem;
	}

	private Duration duration() {
		return Duration.ofNanos(this.clock.getAsLong() - this.since);
	}

	private String attempts() {
		return (this.attempts == 1) ? "1 attempt" : this.attempts + " attempts";
	}

	/** Returns whether to log a warning now, and if so counts it as logged. */
	private boolean startWarning() {
		long now = this.clock.getAsLong();
		if (this.warned && now - this.warnedAt < WARNING_INTERVAL.toNanos()) {
			return false;
		}
		this.warned = true;
		this.warnedAt = now;
		return true;
	}

	/** Returns seconds to one decimal place. A format string would delay the start. */
	private static double seconds(Duration duration) {
		return Math.round(duration.toNanos() / 1e8) / 10.0;
	}

}
