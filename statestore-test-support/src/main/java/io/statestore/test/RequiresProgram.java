package io.statestore.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Skips a test, or all tests in a class, unless certain programs are installed, and says
 * what to install. Fixtures are not set up for skipped tests. CI runs the tests tagged
 * {@code tools} on a machine that has all programs.
 */
@Inherited
@Tag("tools")
@ExtendWith(RequiresProgramCondition.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE, ElementType.METHOD })
public @interface RequiresProgram {

	/**
	 * The names of the programs.
	 * @return names of executable files
	 */
	String[] value();

}
