package io.statestore.client.leader;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Limits the runs of a scheduled method with a fixed rate. If its threads were too busy
 * to start some runs on time, a scheduler makes up for them without a pause in between.
 * This class rejects such runs, so that an outage is not followed by a burst.
 * <p>
 * At most one run is in progress. Two runs start at least half a period apart. After a
 * run that took longer than a period, the next run starts at least half a period after
 * its end. Thread-safe.
 */
final class FixedRateRuns {

	private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

	/** Packages whose stack frames may appear between a caller and the interceptor. */
	private static final List<String> INFRASTRUCTURE = List.of("java.", "jdk.", "org.springframework.",
			"org.aopalliance.", "org.aspectj.", "io.micrometer.");

	private final WeakReference<Object> target;

	private final Duration period;

	private final LongSupplier clock;

	private boolean running;

	/** Start time of the latest run. */
	private long start;

	/** Earliest start time of the next run, {@code null} before the first run. */
	private @Nullable Long earliest;

	/**
	 * Creates a limit for a method.
	 * @param target the object whose method runs; referenced weakly
	 * @param period the method's period
	 * @param clock returns monotonic time in nanoseconds
	 */
	FixedRateRuns(Object target, Duration period, LongSupplier clock) {
		this.target = new WeakReference<>(target);
		this.period = period;
		this.clock = clock;
	}

	/**
	 * Returns the period of a method that has exactly one schedule, with a fixed rate.
	 * @param method the method to inspect
	 * @param placeholders resolves placeholders in annotation attributes
	 * @return the period, {@code null} if the method has another kind of schedule,
	 * several schedules, or none
	 */
	static @Nullable Duration period(Method method, UnaryOperator<@Nullable String> placeholders) {
		Set<Scheduled> schedules = AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class,
				Schedules.class);
		if (schedules.size() != 1) {
			return null;
		}
		Scheduled scheduled = schedules.iterator().next();
		if (scheduled.fixedRate() >= 0) {
			return Duration.of(scheduled.fixedRate(), scheduled.timeUnit().toChronoUnit());
		}
		String rate = placeholders.apply(scheduled.fixedRateString());
		return StringUtils.hasLength(rate) ? DurationFormatterUtils.detectAndParse(rate,
				DurationFormat.Unit.fromChronoUnit(scheduled.timeUnit().toChronoUnit())) : null;
	}

	/**
	 * Returns whether the caller is a scheduler rather than application code, which may
	 * itself be a scheduled method.
	 */
	static boolean isCalledByScheduler() {
		return STACK.walk((frames) -> frames.map(StackFrame::getDeclaringClass)
			.filter((type) -> !isInfrastructure(type))
			.findFirst()
			.filter(ScheduledMethodRunnable.class::equals)
			.isPresent());
	}

	private static boolean isInfrastructure(Class<?> type) {
		return type != ScheduledMethodRunnable.class
				&& (type == FixedRateRuns.class || type == LeaderOnlyInterceptor.class || Proxy.isProxyClass(type)
						|| type.getName().contains(ClassUtils.CGLIB_CLASS_SEPARATOR)
						|| INFRASTRUCTURE.stream().anyMatch(type.getName()::startsWith));
	}

	/**
	 * Returns whether the runs belong to the given target. For {@code null}, returns
	 * whether their target was garbage collected.
	 */
	boolean isOf(@Nullable Object target) {
		return this.target.refersTo(target);
	}

	/**
	 * Begins a run.
	 * @return {@code false} if the run must be skipped
	 */
	synchronized boolean begin() {
		long now = this.clock.getAsLong();
		if (this.running || (this.earliest != null && now - this.earliest < 0)) {
			return false;
		}
		this.running = true;
		this.start = now;
		this.earliest = now + halfPeriod();
		return true;
	}

	/** Ends a run. */
	synchronized void end() {
		long now = this.clock.getAsLong();
		this.running = false;
		if (now - this.start > this.period.toNanos()) {
			this.earliest = now + halfPeriod();
		}
	}

	private long halfPeriod() {
		return this.period.toNanos() / 2;
	}

}
