package io.statestore.test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FileCyclesTests {

	private static final JavaClasses CLASSES = new ClassFileImporter().importPackages("io.statestore.test");

	@Test
	void namesFilesInCycle() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> FileCycles.noCycleOfMoreThanTwoFiles("io.statestore.test..").check(CLASSES))
			.withMessageContaining("3 files depend on each other:")
			.withMessageContaining("io.statestore.test.cycle.First -> io.statestore.test.cycle.Second")
			.withMessageContaining("io.statestore.test.cycle.Second -> io.statestore.test.cycle.Third")
			.withMessageContaining("io.statestore.test.cycle.Third -> io.statestore.test.cycle.First")
			.withMessageNotContaining("pair");
	}

	@Test
	void acceptsCycleOfTwoFiles() {
		FileCycles.noCycleOfMoreThanTwoFiles("io.statestore.test.pair").check(CLASSES);
	}

	@Test
	void ignoresCycleThroughOtherPackages() {
		FileCycles.noCycleOfMoreThanTwoFiles("io.statestore.test").check(CLASSES);
	}

}
