package com.example;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.statestore.testing.boot.EmbeddedStateStore;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.TestPropertySource;

/**
 * Runs a test with the application and the properties of the recipes. All these tests
 * share one application context.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(classes = RecipesApplication.class, properties = { "statestore.client-id=first", "planner.name=first" })
@TestPropertySource(locations = { RecipeTest.SETTINGS, RecipeTest.LEADER, RecipeTest.CACHING })
@EmbeddedStateStore(controlTime = true)
public @interface RecipeTest {

	/** Properties of the recipe for settings. */
	String SETTINGS = "classpath:com/example/settings/application.properties";

	/** Properties of the recipe for scheduled work. */
	String LEADER = "classpath:com/example/leader/application.properties";

	/** Properties of the recipe for a near cache. */
	String CACHING = "classpath:com/example/caching/application.properties";

	/** Properties of all recipes, for further instances. */
	String PROPERTIES = "spring.config.location=" + SETTINGS + ',' + LEADER + ',' + CACHING;

}
