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
 * Runs of a scheduled method with a fixed rate. A scheduler makes up for each run that
 * its threads were too busy to start in time, without a pause in between. This class
 * rejects these runs, so that an outage is not followed by a burst.
 * <p>
 * At most one run is in progress. Two runs start at least half a period apart. After a
 * run that took longer than a period, the next one starts at least half a period after
 * its end. Thread-safe.
 */
final class FixedRateRuns {

	private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

	/** Packages whose frames may stand between a caller and the interceptor. */
	private static final List<String> INFRASTRUCTURE = List.of("java.", "jdk.", "org.springframework.",
			"org.aopalliance.", "org.aspectj.", "io.micrometer.");

	private final WeakReference<Object> target;

	private final Duration period;

	private final LongSupplier clock;

	private boolean running;

	/** Start of the latest run. */
	private long start;

	/** Earliest start of the next run, {@code null} before the first one. */
	private @Nullable Long earliest;

	/**
	 * Creates the runs of a method.
	 * @param target object of the method
	 * @param period period of the method
	 * @param clock monotonic time in nanoseconds
	 */
	FixedRateRuns(Object target, Duration period, LongSupplier clock) {
		this.target = new WeakReference<>(target);
		this.period = period;
		this.clock = clock;
	}

	/**
	 * Returns the period of a method that has a single schedule with a fixed rate.
	 * @param method the method
	 * @param placeholders resolves placeholders in attributes
	 * @return the period, {@code null} if the method has another schedule, several, or
	 * none
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
	 * Returns whether a scheduler is calling, rather than code of the application, which
	 * may itself be a scheduled method.
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
	 * Returns whether these runs are those of a target; for {@code null}, whether their
	 * target was garbage collected.
	 */
	boolean isOf(@Nullable Object target) {
		return this.target.refersTo(target);
	}

	/**
	 * Begins a run.
	 * @return {@code false} if it must be skipped
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
