package io.statestore.broker.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.statestore.protocol.TopicFilter;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import static org.assertj.core.api.Assertions.assertThat;

class TopicTreeTests {

	private static final String[] LEVELS = { "a", "b", "", "$SYS", "c" };

	@Property
	void visitsMatchingEntries(@ForAll long seed) {
		Random random = new Random(seed);
		TopicTree<String> filters = new TopicTree<>();
		TopicTree<String> topics = new TopicTree<>();
		Map<String, String> allFilters = new HashMap<>();
		Map<String, String> allTopics = new HashMap<>();
		for (int i = 0; i < 200; i++) {
			change(random, filters, allFilters, filter(random));
			change(random, topics, allTopics, topic(random));
			String topic = topic(random);
			List<String> matches = new ArrayList<>();
			filters.match(topic, matches::add);
			assertThat(matches).containsExactlyInAnyOrderElementsOf(
					allFilters.keySet().stream().filter((filter) -> TopicFilter.matches(filter, topic)).toList());
			String filter = filter(random);
			List<String> selected = new ArrayList<>();
			topics.select(filter, selected::add);
			assertThat(selected).containsExactlyInAnyOrderElementsOf(
					allTopics.keySet().stream().filter((each) -> TopicFilter.matches(filter, each)).toList());
		}
		allFilters.keySet().forEach((filter) -> filters.update(filter, (value) -> null));
		filters.visitAll((filter) -> assertThat(filter).as("removed").isNull());
	}

	private static void change(Random random, TopicTree<String> tree, Map<String, String> all, String path) {
		boolean removes = random.nextInt(3) == 0;
		tree.update(path, (value) -> {
			assertThat(value).isEqualTo(all.get(path));
			return removes ? null : path;
		});
		if (removes) {
			all.remove(path);
		}
		else {
			all.put(path, path);
		}
	}

	private static String topic(Random random) {
		List<String> levels = new ArrayList<>();
		for (int i = random.nextInt(4); i >= 0; i--) {
			levels.add(LEVELS[random.nextInt(LEVELS.length)]);
		}
		String topic = String.join("/", levels);
		return topic.isEmpty() ? "a" : topic;
	}

	private static String filter(Random random) {
		String topic = topic(random);
		String[] levels = topic.split("/", -1);
		for (int i = 0; i < levels.length; i++) {
			if (random.nextInt(4) == 0) {
				levels[i] = "+";
			}
		}
		return String.join("/", levels) + ((random.nextInt(4) == 0) ? "/#" : "");
	}

}
