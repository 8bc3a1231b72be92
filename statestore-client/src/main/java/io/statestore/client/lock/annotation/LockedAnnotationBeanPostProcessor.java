package io.statestore.client.lock.annotation;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Bean post-processor that creates proxies to run {@link Locked} methods under their
 * locks. Declare it with a static {@code @Bean} method.
 */
public final class LockedAnnotationBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private static final long serialVersionUID = 1L;

	private transient @Nullable LockedInterceptor interceptor;

	/** Creates a post-processor that proxies classes. */
	public LockedAnnotationBeanPostProcessor() {
		// Also intercept methods that no interface declares.
		setProxyTargetClass(true);
		// A skipped call must not start a transaction.
		setBeforeExistingAdvisors(true);
		// Later post-processors place their advice before this advice. Therefore,
		// @LeaderOnly skips a call without acquiring its lock, @Async waits for the lock
		// on its own thread, and @Retryable acquires the lock again.
		setOrder(LOWEST_PRECEDENCE - 100);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		LockedInterceptor interceptor = new LockedInterceptor((ConfigurableListableBeanFactory) beanFactory);
		this.interceptor = interceptor;
		this.advisor = interceptor.advisor();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (this.interceptor != null && isEligible(type)) {
			this.interceptor.check(type);
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.interceptor != null) {
			this.interceptor.checkBeans();
		}
	}

}
