package io.statestore.client.lock.annotation;

import java.lang.reflect.Method;

import io.statestore.client.proxy.ProxiedMethodPostProcessor;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Bean post-processor that proxies beans with {@link Locked} methods, which then run
 * under their locks. Declare it in a static bean method.
 */
public final class LockedAnnotationBeanPostProcessor extends ProxiedMethodPostProcessor {

	private static final long serialVersionUID = 1L;

	private transient @Nullable LockedInterceptor interceptor;

	/** Creates a post-processor that proxies classes. */
	public LockedAnnotationBeanPostProcessor() {
		super(Locked.class);
		// Later post-processors place their advice before that of this one: @LeaderOnly
		// skips a call without its lock, @Async waits for the lock on its own thread, and
		// @Retryable acquires it again.
		setOrder(LOWEST_PRECEDENCE - 100);
	}

	@Override
	protected MethodInterceptor createInterceptor(ConfigurableListableBeanFactory beanFactory) {
		LockedInterceptor interceptor = new LockedInterceptor(beanFactory);
		this.interceptor = interceptor;
		return interceptor;
	}

	@Override
	protected void validate(Method method) {
		if (this.interceptor != null) {
			this.interceptor.method(method);
		}
	}

	@Override
	protected void validateBeans(Method method) {
		if (this.interceptor != null) {
			this.interceptor.method(method).validate(this.interceptor.registry(method));
		}
	}

}
