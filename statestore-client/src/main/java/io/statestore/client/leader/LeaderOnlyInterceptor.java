package io.statestore.client.leader;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Interceptor that skips {@link LeaderOnly} methods unless this process leads. */
final class LeaderOnlyInterceptor implements MethodInterceptor {

	private static final Logger logger = LoggerFactory.getLogger(LeaderOnlyInterceptor.class);

	private final Map<Method, StateStoreLeaderInitiator> initiators = new ConcurrentHashMap<>();

	private final ConfigurableListableBeanFactory beanFactory;

	LeaderOnlyInterceptor(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = annotated(invocation);
		StateStoreLeaderInitiator initiator = initiator(method);
		if (!initiator.isLeader()) {
			logger.debug("Skipped a call because this process does not lead {}: {}", initiator.role(), method);
			return null;
		}
		return invocation.proceed();
	}

	/**
	 * Returns the method of the class, because the method of an interface has no
	 * annotation.
	 */
	private static Method annotated(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return (target != null)
				? AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target))
				: invocation.getMethod();
	}

	/**
	 * Returns the initiator whose leadership a method requires.
	 * @throws LeaderOnlyMethodException if no initiator has its role
	 */
	StateStoreLeaderInitiator initiator(Method method) {
		StateStoreLeaderInitiator cached = this.initiators.get(method);
		if (cached != null) {
			return cached;
		}
		StateStoreLeaderInitiator found = find(method);
		this.initiators.put(method, found);
		return found;
	}

	private StateStoreLeaderInitiator find(Method method) {
		ObjectProvider<StateStoreLeaderInitiator> provider = this.beanFactory
			.getBeanProvider(StateStoreLeaderInitiator.class);
		LeaderOnly annotation = Objects
			.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, LeaderOnly.class));
		String role = this.beanFactory.resolveEmbeddedValue(annotation.role());
		List<StateStoreLeaderInitiator> all = provider.orderedStream().toList();
		if (all.isEmpty()) {
			throw new LeaderOnlyMethodException(method, "requires a leader election, but there is none",
					"Set statestore.leader.enabled=true, or without Spring Boot declare a StateStoreLeaderInitiator bean");
		}
		StateStoreLeaderInitiator initiator = (role == null || role.isEmpty()) ? provider.getIfUnique()
				: all.stream().filter((each) -> each.role().equals(role)).findFirst().orElse(null);
		if (initiator == null) {
			throw new LeaderOnlyMethodException(method, "has the role '" + role + "', but no election has this role",
					"Set 'role' to one of " + all.stream().map(StateStoreLeaderInitiator::role).toList());
		}
		return initiator;
	}

}
