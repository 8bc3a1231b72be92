package io.statestore.client.leader;

import java.lang.ref.WeakReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class WeakIdentityMapTests {

	private final WeakIdentityMap<Object, Object> map = new WeakIdentityMap<>();

	@Test
	void keepsValueWhileKeyIsReferenced() {
		Object key = new Object();
		int value = System.identityHashCode(this.map.get(key, Object::new));
		collectGarbage();
		assertThat(System.identityHashCode(this.map.get(key, Object::new))).isEqualTo(value);
		assertThat(this.map.size()).isEqualTo(1);
	}

	@Test
	void comparesKeysByIdentity() {
		String key = new String("key");
		Object value = this.map.get(key, Object::new);
		assertThat(this.map.get(new String("key"), Object::new)).isNotSameAs(value);
		assertThat(this.map.get(key, Object::new)).isSameAs(value);
	}

	@Test
	void removesCollectedKey() {
		this.map.get(new Object(), Object::new);
		await("the removal").until(() -> {
			System.gc();
			return this.map.size() == 0;
		});
	}

	private static void collectGarbage() {
		WeakReference<Object> reference = new WeakReference<>(new Object());
		await("a garbage collection").until(() -> {
			System.gc();
			return reference.get() == null;
		});
	}

}
