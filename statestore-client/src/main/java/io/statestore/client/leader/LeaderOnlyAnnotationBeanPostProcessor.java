package io.statestore.client.leader;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Bean post-processor that creates proxies to restrict {@link LeaderOnly} methods to the
 * leader. Declare it with a static {@code @Bean} method.
 */
public final class LeaderOnlyAnnotationBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private static final long serialVersionUID = 1L;

	private transient @Nullable LeaderOnlyInterceptor interceptor;

	/** Creates a post-processor that proxies classes. Its check precedes other advice. */
	public LeaderOnlyAnnotationBeanPostProcessor() {
		// Also intercept methods that no interface declares.
		setProxyTargetClass(true);
		// A skipped call must not start a transaction.
		setBeforeExistingAdvisors(true);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		LeaderOnlyInterceptor interceptor = new LeaderOnlyInterceptor((ConfigurableListableBeanFactory) beanFactory);
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
