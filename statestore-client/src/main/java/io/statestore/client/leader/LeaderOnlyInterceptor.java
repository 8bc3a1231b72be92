package io.statestore.client.leader;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.internal.ProxiedMethodInterceptor;
import io.statestore.client.proxy.ProxiedMethodException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Interceptor that skips {@link LeaderOnly} methods unless this process leads. For
 * methods with a fixed rate, it also skips the runs for which a scheduler makes up.
 */
final class LeaderOnlyInterceptor extends ProxiedMethodInterceptor<LeaderOnly> {

	private static final Logger logger = LoggerFactory.getLogger(LeaderOnlyInterceptor.class);

	private final Map<Method, StateStoreLeaderInitiator> initiators = new ConcurrentHashMap<>();

	/** Runs of methods with a fixed rate. */
	private final List<TargetRuns> runs = new ArrayList<>();

	/** Periods of methods with a fixed rate. */
	private final Map<Method, Optional<Duration>> periods = new ConcurrentHashMap<>();

	private final ConfigurableListableBeanFactory beanFactory;

	LeaderOnlyInterceptor(ConfigurableListableBeanFactory beanFactory) {
		super(LeaderOnly.class);
		this.beanFactory = beanFactory;
	}

	@Override
	protected void validate(Method method) {
		if (method.getReturnType() != void.class) {
			throw new ProxiedMethodException(LeaderOnly.class, method,
					"returns a value, which a skipped call does not have", "Change its return type to void", null);
		}
	}

	@Override
	protected void validateBeans(Method method) {
		initiator(method);
	}

	@Override
	@SuppressWarnings("NullAway") // A method may return null.
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = annotated(invocation);
		StateStoreLeaderInitiator initiator = initiator(method);
		LeaderContext term = initiator.context().orElse(null);
		if (term == null) {
			logger.debug("Skipped a call because this process does not lead {}: {}", initiator.role(), method);
			return null;
		}
		FixedRateRuns runs = runs(invocation.getThis(), method);
		if (runs != null && !runs.begin()) {
			logger.debug("Skipped a run that the scheduler makes up for: {}", method);
			return null;
		}
		try {
			return term.heldLock().call(invocation::proceed);
		}
		finally {
			if (runs != null) {
				runs.end();
			}
		}
	}

	/** Returns {@code null} unless a scheduler calls a method with a fixed rate. */
	private @Nullable FixedRateRuns runs(@Nullable Object target, Method method) {
		Duration period = this.periods
			.computeIfAbsent(method,
					(key) -> Optional.ofNullable(FixedRateRuns.period(key, this.beanFactory::resolveEmbeddedValue)))
			.orElse(null);
		if (target == null || period == null || !FixedRateRuns.isCalledByScheduler()) {
			return null;
		}
		return runs(target, method, period);
	}

	/** Returns the same runs for a target and a method while the target is referenced. */
	private FixedRateRuns runs(Object target, Method method, Duration period) {
		synchronized (this.runs) {
			this.runs.removeIf((each) -> each.target.refersTo(null));
			for (TargetRuns each : this.runs) {
				if (each.target.refersTo(target) && each.method.equals(method)) {
					return each.runs;
				}
			}
			FixedRateRuns created = new FixedRateRuns(period, System::nanoTime);
			this.runs.add(new TargetRuns(new WeakReference<>(target), method, created));
			return created;
		}
	}

	/**
	 * Returns the initiator whose leadership a method requires.
	 * @throws ProxiedMethodException if no initiator has its role
	 */
	StateStoreLeaderInitiator initiator(Method method) {
		return this.initiators.computeIfAbsent(method, this::find);
	}

	private StateStoreLeaderInitiator find(Method method) {
		ObjectProvider<StateStoreLeaderInitiator> provider = this.beanFactory
			.getBeanProvider(StateStoreLeaderInitiator.class);
		String role = this.beanFactory.resolveEmbeddedValue(annotation(method).role());
		List<StateStoreLeaderInitiator> all = provider.orderedStream().toList();
		if (all.isEmpty()) {
			throw new ProxiedMethodException(LeaderOnly.class, method, "requires a leader election, but there is none",
					"Set statestore.leader.enabled=true, or without Spring Boot declare a StateStoreLeaderInitiator bean",
					null);
		}
		StateStoreLeaderInitiator initiator = (role == null || role.isEmpty()) ? provider.getIfUnique()
				: all.stream().filter((each) -> each.role().equals(role)).findFirst().orElse(null);
		if (initiator == null) {
			throw new ProxiedMethodException(LeaderOnly.class, method,
					"has the role '" + role + "', but no election has this role",
					"Set 'role' to one of " + all.stream().map(StateStoreLeaderInitiator::role).toList(), null);
		}
		return initiator;
	}

	/** Runs of a method of one target. */
	private record TargetRuns(WeakReference<Object> target, Method method, FixedRateRuns runs) {

	}

}
