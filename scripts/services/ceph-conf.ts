import { randomUUID } from 'node:crypto';
import { type BackingServices, cephDir } from './state.ts';

const MEMORY_BYTES = 4 * 1024 ** 3;
const GATEWAY_THREADS = 64;

/** One monitor, one in-memory store, one S3 gateway, all on loopback and without authentication between them. */
export function cephConf(services: BackingServices): { fsid: string; text: string } {
  const fsid = randomUUID();
  const dir = cephDir(services);
  const text = `[global]
fsid = ${fsid}
mon_host = v2:127.0.0.1:${services.ports.cephMon}/0
mon_initial_members = a
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
ms_bind_msgr1 = false
# The OSD picks free ports in this range.
ms_bind_port_min = 26800
ms_bind_port_max = 27299
# By default the gateway requires secure mode, which needs authentication. Without this line it waits forever.
ms_mon_client_mode = crc
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
auth_allow_insecure_global_id_reclaim = true
mon_warn_on_insecure_global_id_reclaim = false
mon_warn_on_insecure_global_id_reclaim_allowed = false
run_dir = ${dir}
# No socket: its path would exceed the length limit in a deep checkout.
admin_socket =
log_file = ${dir}/$name.log
crash_dir = ${dir}
# One copy on one OSD.
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_crush_initial_weight = 1
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
mon_data_avail_crit = 1
mon_data_avail_warn = 1
mon_osd_full_ratio = .99
mon_osd_backfillfull_ratio = .985
mon_osd_nearfull_ratio = .98
# By default the monitor waits a second before each proposal. A start takes about thirty proposals.
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
mon_tick_interval = 1
osd_heartbeat_interval = 3
[mon.a]
mon_data = ${dir}/mon
[osd.0]
osd_data = ${dir}/osd
osd_objectstore = memstore
memstore_device_bytes = ${MEMORY_BYTES}
[client.rgw.a]
# Without tcp_nodelay a small read takes 45 ms instead of 8.
rgw_frontends = beast endpoint=127.0.0.1:${services.ports.s3} tcp_nodelay=1
rgw_thread_pool_size = ${GATEWAY_THREADS}
rgw_dns_name = localhost
rgw_enable_usage_log = false
rgw_run_sync_thread = false
# Deleted files give their memory back within minutes, not hours.
rgw_gc_obj_min_wait = 60
rgw_gc_processor_period = 60
`;
  return { fsid, text };
}
