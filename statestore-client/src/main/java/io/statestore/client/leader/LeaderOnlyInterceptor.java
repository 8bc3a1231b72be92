package io.statestore.client.leader;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.client.internal.ProxiedMethodInterceptor;
import io.statestore.listener.AnnotatedMethodException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Interceptor that skips {@link LeaderOnly} methods unless this process leads. For
 * methods with a fixed rate, it also skips runs with which a scheduler makes up for
 * overdue runs.
 */
final class LeaderOnlyInterceptor extends ProxiedMethodInterceptor<LeaderOnly> {

	private static final Logger logger = LoggerFactory.getLogger(LeaderOnlyInterceptor.class);

	private final Map<Method, Rule> rules = new ConcurrentHashMap<>();

	private final ConfigurableListableBeanFactory beanFactory;

	LeaderOnlyInterceptor(ConfigurableListableBeanFactory beanFactory) {
		super(LeaderOnly.class);
		this.beanFactory = beanFactory;
	}

	@Override
	protected void validate(Method method) {
		if (method.getReturnType() != void.class) {
			throw new AnnotatedMethodException(LeaderOnly.class, method,
					"returns a value, which a skipped call does not have. Change its return type to void", null);
		}
	}

	@Override
	protected void validateBeans(Method method) {
		rule(method);
	}

	@Override
	@SuppressWarnings("NullAway") // A method may return null.
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = annotated(invocation);
		Rule rule = rule(method);
		LeaderContext term = rule.initiator.context().orElse(null);
		if (term == null) {
			logger.debug("Skipped a call because this process does not lead {}: {}", rule.initiator.role(), method);
			return null;
		}
		FixedRateRuns runs = (rule.period != null && FixedRateRuns.isCalledByScheduler())
				? rule.runs(Objects.requireNonNull(invocation.getThis()), rule.period) : null;
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

	/**
	 * Returns the rule for calls of a method.
	 * @throws AnnotatedMethodException if there is no initiator with the method's role
	 */
	private Rule rule(Method method) {
		return this.rules.computeIfAbsent(method, (key) -> new Rule(initiator(key),
				FixedRateRuns.period(key, this.beanFactory::resolveEmbeddedValue), new ArrayList<>()));
	}

	private StateStoreLeaderInitiator initiator(Method method) {
		ObjectProvider<StateStoreLeaderInitiator> provider = this.beanFactory
			.getBeanProvider(StateStoreLeaderInitiator.class);
		String role = this.beanFactory.resolveEmbeddedValue(annotation(method).role());
		List<StateStoreLeaderInitiator> all = provider.orderedStream().toList();
		if (all.isEmpty()) {
			throw new AnnotatedMethodException(LeaderOnly.class, method,
					"requires a leader election, but there is none. "
							+ "Set statestore.leader.enabled=true, or without Spring Boot declare a StateStoreLeaderInitiator bean",
					null);
		}
		StateStoreLeaderInitiator initiator = (role == null || role.isEmpty()) ? provider.getIfUnique()
				: all.stream().filter((each) -> each.role().equals(role)).findFirst().orElse(null);
		if (initiator == null) {
			throw new AnnotatedMethodException(
					LeaderOnly.class, method, "has the role '" + role + "', but no election has this role. "
							+ "Set 'role' to one of " + all.stream().map(StateStoreLeaderInitiator::role).toList(),
					null);
		}
		return initiator;
	}

	/**
	 * Rule for calls of a method.
	 *
	 * @param initiator initiator whose leadership is required
	 * @param period period of a method with a fixed rate, {@code null} for other methods
	 * @param runs limits on the method's runs, for each target object
	 */
	private record Rule(StateStoreLeaderInitiator initiator, @Nullable Duration period, List<FixedRateRuns> runs) {

		/**
		 * Returns a target's runs, which are the same object as long as the target is
		 * referenced.
		 */
		FixedRateRuns runs(Object target, Duration period) {
			synchronized (this.runs) {
				this.runs.removeIf((each) -> each.isOf(null));
				return this.runs.stream().filter((each) -> each.isOf(target)).findFirst().orElseGet(() -> {
					FixedRateRuns created = new FixedRateRuns(target, period, System::nanoTime);
					this.runs.add(created);
					return created;
				});
			}
		}

	}

}
