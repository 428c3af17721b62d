// The WGSL of small programs: golden texts.
#include "backends/webgpu/wgsl.hpp"

#include <gtest/gtest.h>

#include "draft.hpp"

namespace weft::webgpu::test {
namespace {

constexpr DType f32{Scalar::float32}, i32{Scalar::int32};

// MODEL-12, KER-ACC-01, design (Bits): numbers, uniforms, gates, fences, constants from their bits.
TEST(Wgsl, Map) {
  Draft d("scale");
  auto a = d.array(f32, false), b = d.array(f32, true);
  auto k = d.scalar(f32);
  auto inside = d.less(d.i, d.n(5));
  auto x = d.load(a, d.i, inside);
  d.store(b, d.i, d.fence(d.mul(x, k)), inside);
  d.continue_if(inside);
  d.store(b, d.i, d.bits(0x7f800000));
  EXPECT_EQ("\n" + render(*d.finish(), 4), R"(
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> b1: array<f32>;
@group(0) @binding(2) var<uniform> u: array<vec4<u32>, 1>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let zero = u[0].x;
  let k = id.x + (id.y + id.z * groups.y) * (groups.x * 64u);
  if (k >= u[0].y) { return; }
  let i = i32(k);
  let s2 = bitcast<f32>(u[0].z);
  let v0 = i < 5i;
  let v1 = select(0i, i, v0);
  let v2 = select(f32(), b0[v1], v0);
  let v3 = v2 * s2;
  let v4 = bitcast<f32>(bitcast<u32>(v3) | zero);
  if (v0) { b1[i] = v4; }
  if (v0) { return; }
  b1[i] = bitcast<f32>(0x7f800000u | zero);
}
)");
}

TEST(Wgsl, Reduction) {
  Draft d("sum");
  auto a = d.array(f32, false);
  auto s = d.fold(Op::ADD, f32);
  auto x = d.load(a, d.i);
  d.continue_if(d.less(x, d.f(0)));
  d.set(s, d.fence(d.add(d.load(s), x)));
  EXPECT_EQ("\n" + render(*d.finish(), 4), R"(
@group(0) @binding(0) var<storage, read> b0: array<f32>;
@group(0) @binding(1) var<storage, read_write> p0: array<u32>;
@group(0) @binding(2) var<uniform> u: array<vec4<u32>, 1>;

struct Folded {
  f0: f32,
}
var<workgroup> w0: array<u32, 256>;
fn fold0(a: u32, b: u32, zero: u32) -> u32 { return bitcast<u32>(bitcast<f32>(a) + bitcast<f32>(b)) | zero; }

fn iteration(k: u32) -> Folded {
  let zero = u[0].x;
  let i = i32(k);
  var l2 = f32(bitcast<f32>(0x80000000u | zero));
  let v0 = b0[i];
  let v1 = v0 < 0f;
  if (v1) { return Folded(l2); }
  let v2 = l2;
  let v3 = v2 + v0;
  let v4 = bitcast<f32>(bitcast<u32>(v3) | zero);
  l2 = v4;
  return Folded(l2);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let zero = u[0].x;
  let group = id.x + (id.y + id.z * groups.y) * groups.x;
  let block = group * 4u + lane / 64u;
  let place = lane % 64u;
  var h0_0: u32;
  var h1_0: u32;
  for (var turn = 0u; turn < 4u; turn += 1u) {
    let k = block * 256u + place + (reverseBits(turn) >> 30u) * 64u;
    var a0 = 0x80000000u;
    if (k < u[0].y) {
      let folded = iteration(k);
      a0 = bitcast<u32>(folded.f0);
    }
    if ((turn & 1u) == 0u) {
      h0_0 = a0;
      continue;
    }
    a0 = fold0(h0_0, a0, zero);
    if ((turn & 2u) == 0u) {
      h1_0 = a0;
      continue;
    }
    a0 = fold0(h1_0, a0, zero);
    w0[lane] = a0;
  }
  workgroupBarrier();
  if (place < 32u) {
    w0[lane] = fold0(w0[lane], w0[lane + 32u], zero);
  }
  workgroupBarrier();
  if (place < 16u) {
    w0[lane] = fold0(w0[lane], w0[lane + 16u], zero);
  }
  workgroupBarrier();
  if (place < 8u) {
    w0[lane] = fold0(w0[lane], w0[lane + 8u], zero);
  }
  workgroupBarrier();
  if (place < 4u) {
    w0[lane] = fold0(w0[lane], w0[lane + 4u], zero);
  }
  workgroupBarrier();
  if (place < 2u) {
    w0[lane] = fold0(w0[lane], w0[lane + 2u], zero);
  }
  workgroupBarrier();
  if (place < 1u) {
    w0[lane] = fold0(w0[lane], w0[lane + 1u], zero);
  }
  if (place == 0u && block * 256u < u[0].y) {
    p0[block] = w0[lane];
  }
}
)");
}

TEST(Wgsl, FoldLevel) {
  const trace::ProgramFold folds[] = {{Op::MAX, i32}};
  EXPECT_EQ("\n" + render_fold_level(folds, 1), R"(
@group(0) @binding(0) var<storage, read_write> p0: array<u32>;
@group(0) @binding(1) var<uniform> level: vec4<u32>;
var<workgroup> w0: array<u32, 256>;
fn fold0(a: u32, b: u32, zero: u32) -> u32 { return bitcast<u32>(max(bitcast<i32>(a), bitcast<i32>(b))); }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let zero = level.w;
  let group = id.x + (id.y + id.z * groups.y) * groups.x;
  let block = group * 1u + lane / 256u;
  let place = lane % 256u;
  for (var turn = 0u; turn < 1u; turn += 1u) {
    let k = block * 256u + place;
    var a0 = 0x80000000u;
    if (k < level.y) {
      a0 = p0[level.x + k];
    }
    w0[lane] = a0;
  }
  workgroupBarrier();
  if (place < 128u) {
    w0[lane] = fold0(w0[lane], w0[lane + 128u], zero);
  }
  workgroupBarrier();
  if (place < 64u) {
    w0[lane] = fold0(w0[lane], w0[lane + 64u], zero);
  }
  workgroupBarrier();
  if (place < 32u) {
    w0[lane] = fold0(w0[lane], w0[lane + 32u], zero);
  }
  workgroupBarrier();
  if (place < 16u) {
    w0[lane] = fold0(w0[lane], w0[lane + 16u], zero);
  }
  workgroupBarrier();
  if (place < 8u) {
    w0[lane] = fold0(w0[lane], w0[lane + 8u], zero);
  }
  workgroupBarrier();
  if (place < 4u) {
    w0[lane] = fold0(w0[lane], w0[lane + 4u], zero);
  }
  workgroupBarrier();
  if (place < 2u) {
    w0[lane] = fold0(w0[lane], w0[lane + 2u], zero);
  }
  workgroupBarrier();
  if (place < 1u) {
    w0[lane] = fold0(w0[lane], w0[lane + 1u], zero);
  }
  if (place == 0u && block * 256u < level.y) {
    p0[level.z + block] = w0[lane];
  }
}
)");
}

}  // namespace
}  // namespace weft::webgpu::test
