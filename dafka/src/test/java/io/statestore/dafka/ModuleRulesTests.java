package io.statestore.dafka;

import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

/** Dependencies of this module and between its packages. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.dafka";

	private static final String SPRING = OURS + ".spring..";

	private static final String CLI = OURS + ".cli..";

	private static final List<String> NODES = List.of("tower", "producer", "consumer", "store");

	private static final DescribedPredicate<JavaClass> INTERNAL = JavaClass.Predicates
		.resideInAPackage(OURS + "..internal");

	private static final DescribedPredicate<List<JavaClass>> INTERNAL_PARAMETER = DescribedPredicate
		.describe("an internal parameter", (types) -> types.stream().anyMatch(INTERNAL));

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(OURS);

	@Test
	void dependsOnlyOnNettyRocksDbBouncyCastleAndSlf4j() {
		classes().that()
			.resideOutsideOfPackages(SPRING, CLI)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(OURS + "..", "java..", "org.jspecify.annotations", "org.slf4j", "io.netty..",
					"org.rocksdb", "org.bouncycastle..")
			.check(CLASSES);
	}

	@Test
	void onlySpringPackagesUseSpring() {
		noClasses().that()
			.resideOutsideOfPackage(SPRING)
			.should()
			.dependOnClassesThat()
			.resideInAPackage(SPRING)
			.check(CLASSES);
		classes().that()
			.resideInAPackage(SPRING)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(OURS + "..", "java..", "org.jspecify.annotations", "org.slf4j", "org.springframework..",
					"io.micrometer..", "tools.jackson..", "io.statestore.listener")
			.check(CLASSES);
		noClasses().that()
			.resideInAPackage(SPRING)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(OURS + ".reading..", OURS + ".node..", "org.springframework.boot..")
			.check(CLASSES);
	}

	@Test
	void springPackagesDependOneWay() {
		forbid(".spring", "spring.metrics");
	}

	@Test
	void packagesDependOneWay() {
		forbid("", "node", "reading", "tower", "producer", "consumer", "store");
		forbid(".internal..", "node", "reading", "tower", "producer", "consumer", "store");
		noClasses().that()
			.resideInAPackage(OURS + ".internal")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(OURS)
			.check(CLASSES);
		forbid(".reading..", "node", "tower", "producer", "consumer", "store");
		forbid(".node..", "tower", "producer", "consumer", "store");
		NODES.forEach((node) -> forbid('.' + node + "..",
				NODES.stream().filter((other) -> !other.equals(node)).toArray(String[]::new)));
	}

	@Test
	void readingUsesNeitherSocketsNorThreads() {
		noClasses().that()
			.resideInAPackage(OURS + ".reading..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.netty..", "java.util.concurrent", "java.util.concurrent.locks", "java.net..",
					"java.nio.channels..")
			.check(CLASSES);
	}

	@Test
	void onlyStorageUsesRocksDb() {
		noClasses().that()
			.haveSimpleNameNotStartingWith("Rocks")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.rocksdb")
			.check(CLASSES);
	}

	@Test
	void onlyCurveUsesBouncyCastle() {
		noClasses().that()
			.haveSimpleNameNotEndingWith("X25519")
			.and()
			.haveSimpleNameNotEndingWith("CurveBox")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.bouncycastle..")
			.check(CLASSES);
	}

	@Test
	void commandLineUsesOnlyApi() {
		classes().that()
			.resideInAPackage(CLI)
			.should()
			.onlyHaveDependentClassesThat()
			.resideInAPackage(CLI)
			.check(CLASSES);
		classes().that()
			.resideInAPackage(CLI)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(CLI, "java..", "org.jspecify.annotations", "picocli", OURS, OURS + ".internal",
					OURS + ".tower", OURS + ".producer", OURS + ".consumer", OURS + ".store", OURS + ".node.internal")
			.check(CLASSES);
	}

	@Test
	void documentedTypesExposeNoInternalTypes() {
		noMethods().that()
			.arePublic()
			.and()
			.areDeclaredInClassesThat()
			.arePublic()
			.and()
			.areDeclaredInClassesThat()
			.resideOutsideOfPackage("..internal")
			.should()
			.haveRawReturnType(INTERNAL)
			.orShould()
			.haveRawParameterTypes(INTERNAL_PARAMETER)
			.check(CLASSES);
	}

	@Test
	void filesFormNoCycles() {
		FileCycles.noCycleOfMoreThanTwoFiles(OURS + "..").check(CLASSES);
	}

	private void forbid(String from, String... to) {
		noClasses().that()
			.resideInAPackage(OURS + from)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(Stream.of(to).map((name) -> OURS + '.' + name + "..").toArray(String[]::new))
			.check(CLASSES);
	}

}
