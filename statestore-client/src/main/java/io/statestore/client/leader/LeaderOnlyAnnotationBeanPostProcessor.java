package io.statestore.client.leader;

import java.lang.reflect.Method;

import io.statestore.client.proxy.ProxiedMethodException;
import io.statestore.client.proxy.ProxiedMethodPostProcessor;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Bean post-processor that creates proxies which restrict {@link LeaderOnly} methods to
 * the leader. Declare it as a static bean method.
 */
public final class LeaderOnlyAnnotationBeanPostProcessor extends ProxiedMethodPostProcessor {

	private static final long serialVersionUID = 1L;

	private transient @Nullable LeaderOnlyInterceptor interceptor;

	/** Creates a post-processor that proxies classes. Its check precedes other advice. */
	public LeaderOnlyAnnotationBeanPostProcessor() {
		super(LeaderOnly.class);
	}

	@Override
	protected MethodInterceptor createInterceptor(ConfigurableListableBeanFactory beanFactory) {
		LeaderOnlyInterceptor interceptor = new LeaderOnlyInterceptor(beanFactory);
		this.interceptor = interceptor;
		return interceptor;
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
		if (this.interceptor != null) {
			this.interceptor.initiator(method);
		}
	}

}
