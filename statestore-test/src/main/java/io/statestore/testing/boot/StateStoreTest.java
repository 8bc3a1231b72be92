package io.statestore.testing.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.statestore.client.annotation.StateStoreListener;
import io.statestore.testing.TestTime;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.Environment;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Annotation for tests of the parts of an application that use the state store. The
 * context contains the auto-configurations for the state store and Jackson, and an
 * {@link EmbeddedStateStore}. Component scanning includes only classes with
 * {@link StateStoreListener} methods and beans that configure the client, such as a
 * {@link io.statestore.client.ValueConverter}. Add other classes with
 * {@link #includeFilters()} or {@code @Import}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(StateStoreTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(StateStoreTypeExcludeFilter.class)
@ImportAutoConfiguration
@EmbeddedStateStore
public @interface StateStoreTest {

	/**
	 * The {@code name=value} properties to add to the {@link Environment} before the test
	 * runs.
	 * @return no properties by default
	 */
	String[] properties() default {};

	/**
	 * Whether component scanning includes only components that relate to the state store.
	 * @return {@code true} by default
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Filters for more components to include.
	 * @return no filters by default
	 */
	Filter[] includeFilters() default {};

	/**
	 * Filters for components to exclude.
	 * @return no filters by default
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Auto-configurations to exclude.
	 * @return no classes by default
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

	/**
	 * Whether to reset the store to its initial content before each test method.
	 * @return {@code true} by default
	 * @see EmbeddedStateStore#reset()
	 */
	@AliasFor(annotation = EmbeddedStateStore.class)
	boolean reset() default true;

	/**
	 * Whether the test controls the time of the broker and the client, through a
	 * {@link TestTime} bean.
	 * @return {@code false} by default
	 * @see EmbeddedStateStore#controlTime()
	 */
	@AliasFor(annotation = EmbeddedStateStore.class)
	boolean controlTime() default false;

}
