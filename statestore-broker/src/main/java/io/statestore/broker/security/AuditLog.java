package io.statestore.broker.security;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of events that matter to the security of a broker, one structured line each, such
 * as {@code event=denied principal="ada" client="press-1" action=write key="a"}. Lines
 * contain neither values nor secrets.
 * <p>
 * Clients can cause events arbitrarily often. Each {@link #INTERVAL} has at most
 * {@value #MAX_LINES_OF_PRINCIPAL} lines of the same event and principal, and at most
 * {@value #MAX_LINES} lines of the same event. Clients that have not proved their
 * identity can claim any name, so an address has at most {@value #MAX_LINES_OF_ADDRESS}
 * lines of the same event about them. The number of omitted lines is logged with the
 * first event after the interval. Thread-safe, does not block.
 * <p>
 * Internal: not part of the API. The name of its logger is {@value #LOGGER}.
 */
public final class AuditLog {

	/** Name of the logger. */
	public static final String LOGGER = "io.statestore.audit";

	/** Period of the limits. */
	static final Duration INTERVAL = Duration.ofSeconds(10);

	/** Maximum number of lines of one event and principal in an interval. */
	static final int MAX_LINES_OF_PRINCIPAL = 10;

	/**
	 * Maximum number of lines of one event and address about clients that have not proved
	 * their identity, in an interval.
	 */
	static final int MAX_LINES_OF_ADDRESS = 20;

	/** Maximum number of lines of one event in an interval. */
	static final int MAX_LINES = 200;

	private static final Logger logger = LoggerFactory.getLogger(LOGGER);

	private final LongSupplier nanoClock;

	/**
	 * Lines of the current interval. Has at most twice {@link #MAX_LINES} of an event.
	 */
	private final Map<AuditSubject, Lines> lines = new LinkedHashMap<>();

	private long start;

	/** Number of events, by ordinal of {@link AuditEvent}. */
	private final AtomicLongArray counts = new AtomicLongArray(AuditEvent.values().length);

	/** Creates a log. Each component of a broker has its own, with its own limits. */
	public AuditLog() {
		this(System::nanoTime);
	}

	AuditLog(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
		this.start = nanoClock.getAsLong();
	}

	/**
	 * Returns the number of events, including those whose lines were omitted.
	 * @param event the event
	 * @return the number since this log was created
	 */
	public long count(AuditEvent event) {
		return this.counts.get(event.ordinal());
	}

	/**
	 * Begins a line about a client.
	 * @param event the event
	 * @param principal the identity of the client
	 * @return a line with event and principal
	 */
	public AuditLine line(AuditEvent event, ClientPrincipal principal) {
		return line(AuditSubject.of(event, "principal", principal.name()));
	}

	/**
	 * Begins a line about a client that has not proved its identity.
	 * @param event the event
	 * @param user the name that it claims, empty for none
	 * @param address its address
	 * @return a line with event and name
	 */
	public AuditLine claimed(AuditEvent event, String user, InetAddress address) {
		return line(AuditSubject.of(event, "user", user), AuditSubject.of(event, address));
	}

	/**
	 * Begins a line that is not about a client.
	 * @param event the event
	 * @return a line with the event
	 */
	public AuditLine line(AuditEvent event) {
		return line(AuditSubject.of(event, "", ""));
	}

	/**
	 * Begins a line.
	 * @param address further subject whose lines are limited
	 */
	private AuditLine line(AuditSubject subject, AuditSubject... address) {
		AuditEvent event = subject.event();
		this.counts.incrementAndGet(event.ordinal());
		if (!logger.isEnabledForLevel(event.level())) {
			return AuditLine.OMITTED;
		}
		// Names are invented faster than addresses.
		List<AuditSubject> limits = Stream
			.concat(Stream.of(address), Stream.of(subject, new AuditSubject(event, "", "", MAX_LINES)))
			.toList();
		List<AuditLine> omissions = new ArrayList<>(0);
		boolean enters = enter(limits, omissions);
		omissions.forEach(AuditLine::log);
		return enters ? subject.newLine(logger) : AuditLine.OMITTED;
	}

	private synchronized boolean enter(List<AuditSubject> limits, List<AuditLine> omissions) {
		long now = this.nanoClock.getAsLong();
		if (now - this.start >= INTERVAL.toNanos()) {
			this.lines.forEach((limit, known) -> {
				if (known.omitted > 0) {
					omissions.add(limit.newLine(logger).word("omitted", known.omitted));
				}
			});
			this.lines.clear();
			this.start = now;
		}
		for (AuditSubject limit : limits) {
			Lines known = this.lines.get(limit);
			if (known != null && known.count == limit.maxLines()) {
				known.omitted++;
				return false;
			}
		}
		limits.forEach((limit) -> this.lines.computeIfAbsent(limit, (absent) -> new Lines()).count++);
		return true;
	}

	private static final class Lines {

		private int count;

		private long omitted;

	}

}
