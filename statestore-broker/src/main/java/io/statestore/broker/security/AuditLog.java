package io.statestore.broker.security;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

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

	private final Map<AuditEvent, Period> periods = new EnumMap<>(AuditEvent.class);

	private final Map<AuditEvent, LongAdder> counts = new EnumMap<>(AuditEvent.class);

	/** Creates a log. Each component of a broker has its own, with its own limits. */
	public AuditLog() {
		this(System::nanoTime);
	}

	AuditLog(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
		for (AuditEvent event : AuditEvent.values()) {
			this.counts.put(event, new LongAdder());
		}
	}

	/**
	 * Returns the number of events, including those whose lines were omitted.
	 * @param event the event
	 * @return the number since this log was created
	 */
	public long count(AuditEvent event) {
		return counter(event).sum();
	}

	private LongAdder counter(AuditEvent event) {
		return Objects.requireNonNull(this.counts.get(event));
	}

	/**
	 * Begins a line about a client.
	 * @param event the event
	 * @param principal the identity of the client
	 * @return a line with event and principal
	 */
	public AuditLine line(AuditEvent event, ClientPrincipal principal) {
		return line(event, AuditSubject.of("principal", principal.name()));
	}

	/**
	 * Begins a line about a client that has not proved its identity.
	 * @param event the event
	 * @param user the name that it claims, empty for none
	 * @param address its address
	 * @return a line with event and name
	 */
	public AuditLine claimed(AuditEvent event, String user, InetAddress address) {
		return line(event, AuditSubject.of("user", user), AuditSubject.of(address));
	}

	/**
	 * Begins a line that is not about a client.
	 * @param event the event
	 * @return a line with the event
	 */
	public AuditLine line(AuditEvent event) {
		return line(event, AuditSubject.of("", ""));
	}

	/**
	 * Begins a line.
	 * @param limits further subjects whose lines are limited
	 */
	private AuditLine line(AuditEvent event, AuditSubject subject, AuditSubject... limits) {
		counter(event).increment();
		if (!logger.isEnabledForLevel(event.level())) {
			return AuditLine.OMITTED;
		}
		List<AuditLine> omissions = new ArrayList<>(0);
		boolean enters = enter(event, subject, List.of(limits), omissions);
		omissions.forEach(AuditLine::log);
		return enters ? subject.addTo(newLine(event)) : AuditLine.OMITTED;
	}

	private synchronized boolean enter(AuditEvent event, AuditSubject subject, List<AuditSubject> limits,
			List<AuditLine> omissions) {
		long now = this.nanoClock.getAsLong();
		this.periods.entrySet().removeIf((period) -> {
			boolean ended = now - period.getValue().start >= INTERVAL.toNanos();
			if (ended) {
				period.getValue().addOmissions(period.getKey(), omissions);
			}
			return ended;
		});
		return this.periods.computeIfAbsent(event, (absent) -> new Period(now)).enter(subject, limits);
	}

	private static AuditLine newLine(AuditEvent event) {
		return new AuditLine(logger, event.level()).word("event", event);
	}

	/** The lines of one event in one interval. */
	private static final class Period {

		private final long start;

		/** Lines of each subject. Has at most twice {@link #MAX_LINES} entries. */
		private final Map<AuditSubject, Lines> linesBySubject = new LinkedHashMap<>();

		private int lines;

		/** Number of omitted lines about further subjects. */
		private long omitted;

		Period(long start) {
			this.start = start;
		}

		boolean enter(AuditSubject subject, List<AuditSubject> limits) {
			// Names are invented faster than addresses.
			for (AuditSubject limit : limits) {
				Lines known = this.linesBySubject.get(limit);
				if (known != null && known.count == limit.maxLines()) {
					known.omitted++;
					return false;
				}
			}
			boolean full = this.lines == MAX_LINES;
			Lines own = this.linesBySubject.get(subject);
			if (own == null && full) {
				this.omitted++;
				return false;
			}
			if (own != null && (full || own.count == subject.maxLines())) {
				own.omitted++;
				return false;
			}
			count(subject);
			limits.forEach(this::count);
			this.lines++;
			return true;
		}

		private void count(AuditSubject subject) {
			this.linesBySubject.computeIfAbsent(subject, (absent) -> new Lines()).count++;
		}

		void addOmissions(AuditEvent event, List<AuditLine> omissions) {
			this.linesBySubject.forEach((subject, own) -> {
				if (own.omitted > 0) {
					omissions.add(subject.addTo(newLine(event)).word("omitted", own.omitted));
				}
			});
			if (this.omitted > 0) {
				omissions.add(newLine(event).word("omitted", this.omitted));
			}
		}

	}

	private static final class Lines {

		private int count;

		private long omitted;

	}

}
