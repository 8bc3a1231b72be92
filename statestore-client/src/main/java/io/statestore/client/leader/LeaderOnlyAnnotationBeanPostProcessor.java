package io.statestore.client.leader;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.statestore.client.InvalidAnnotationException;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Has methods with {@link LeaderOnly} called only where this process leads. A proxy of
 * the class is made of their beans. Declare it as a static bean method.
 */
public final class LeaderOnlyAnnotationBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
		implements SmartInitializingSingleton {

	private static final long serialVersionUID = 1L;

	/** Until all beans are there; some may be made by other threads. */
	private final transient Queue<Method> found = new ConcurrentLinkedQueue<>();

	private transient @Nullable LeaderOnlyInterceptor interceptor;

	private volatile boolean complete;

	public LeaderOnlyAnnotationBeanPostProcessor() {
		// Methods without an interface are called through the proxy, too.
		setProxyTargetClass(true);
		// No leader, no transaction.
		setBeforeExistingAdvisors(true);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		this.interceptor = new LeaderOnlyInterceptor((ConfigurableListableBeanFactory) beanFactory);
		Pointcut annotated = new AnnotationMatchingPointcut(null, LeaderOnly.class, true);
		this.advisor = new DefaultPointcutAdvisor(annotated, this.interceptor);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopUtils.getTargetClass(bean);
		if (AnnotationUtils.isCandidateClass(type, LeaderOnly.class)) {
			Set<Method> methods = MethodIntrospector.selectMethods(type,
					(Method method) -> AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class));
			methods.forEach((method) -> check(type, method));
		}
		return super.postProcessAfterInitialization(bean, beanName);
	}

	private void check(Class<?> type, Method method) {
		if (method.getReturnType() != void.class) {
			throw refusal(method, "must return nothing, because a call that is left out has no result");
		}
		int wrong = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;
		if ((method.getModifiers() & wrong) != 0 || Modifier.isFinal(type.getModifiers())) {
			throw refusal(method, "must be neither private, static nor final, nor must its class be final,"
					+ " because a proxy is made of it");
		}
		if (this.complete) {
			initiator(method);
		}
		else {
			this.found.add(method);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.complete = true;
		this.found.forEach(this::initiator);
		this.found.clear();
	}

	private void initiator(Method method) {
		if (this.interceptor != null) {
			this.interceptor.initiator(method);
		}
	}

	static InvalidAnnotationException refusal(Method method, String reason) {
		return new InvalidAnnotationException("@LeaderOnly method " + method.toGenericString() + " " + reason, null);
	}

}
